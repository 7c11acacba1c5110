import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { decodeLogLine } from '../../consumers/decode-log-line.ts';
import type { DeadLetter } from '../../consumers/decoded-record.ts';
import type { EpochMs, VerdictRecord } from '../../evaluator/index.ts';
import { ReplayEngine } from './replay-engine.ts';

/** A short log held in memory, played to its end. */
export interface PlayedLog {
  /** every revision, in publication order */
  readonly verdicts: readonly VerdictRecord[];
  /** `index` is the line's place in the log, from 0 */
  readonly deadLetters: readonly DeadLetter[];
}

/**
 * Plays the lines of a record log at the records' own time, as `countersign replay` does.
 * @param until moves time on at the end, milliseconds since the epoch; null: time stays at the last record's
 */
export const playLog = (deps: BatchDeps, lines: readonly string[], until: EpochMs | null, name = 'log'): PlayedLog => {
  const engine = new ReplayEngine(deps);
  const { verdicts, deadLetters } = engine.apply(lines.map((line, index) => decodeLogLine(name, index + 1, line)));
  const later = until === null ? [] : [...engine.advance(until)].flatMap((step) => step.verdicts);
  return { verdicts: [...verdicts, ...later], deadLetters };
};
