import type { Json, Published } from '../../evaluator/index.ts';
import { type Row, text, textOrNull, trim } from './cells.ts';
import type { Frame } from './frame.ts';

/** null, true and false in one digit; null is what falls away at a row's end. */
const packMoved = (moved: boolean | null): number | null => (moved === null ? null : Number(moved));

/** One published revision: as much as the next one is compared with. */
export const packPublished = (one: Published, frame: Frame): Json[] =>
  trim([
    one.revision,
    one.verdict,
    one.reason,
    frame.packTime(one.at),
    one.class,
    one.evaluated === one.reason ? null : one.evaluated,
    packMoved(one.moneyMoved),
    one.duplicates === 0 ? null : one.duplicates,
    one.told === 'wait::' ? null : one.told,
  ]);

export const unpackPublished = (
  [revision, verdict, reason, at, kind, evaluated, moved, duplicates, told]: Row,
  frame: Frame,
): Published => ({
  revision: revision as number,
  verdict: verdict as Published['verdict'],
  class: (kind ?? null) as Published['class'],
  reason: text(reason),
  evaluated: textOrNull(evaluated) ?? text(reason),
  moneyMoved: moved === null || moved === undefined ? null : moved === 1,
  duplicates: (duplicates ?? 0) as number,
  told: textOrNull(told) ?? 'wait::',
  at: frame.time(at),
});
