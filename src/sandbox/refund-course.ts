import type { Draw } from './draw.ts';
import type { Span } from './duration.ts';
import type { RefundState } from './model.ts';
import type { RefundRule } from './scenario-schema.ts';

/** What becomes of a refund, in milliseconds from its creation. */
export interface RefundCourse {
  readonly visibleAfterMs: number;
  /** its states after `pending`, in order; the first after 0 ms: it is never pending */
  readonly states: readonly { readonly afterMs: number; readonly state: RefundState }[];
}

export const drawn = (draw: Draw, name: string, { leastMs, mostMs }: Span): number =>
  leastMs === mostMs ? leastMs : draw.between(name, leastMs, mostMs);

const NOW: Span = { leastMs: 0, mostMs: 0 };

/** Draws a refund's course. Without a rule: visible and complete at once. */
export const refundCourse = (draw: Draw, rule: RefundRule | null, refundId: string): RefundCourse => {
  const name = `course/${refundId}`;
  const settle = rule?.settle_after ?? NOW;
  const states: { afterMs: number; state: RefundState }[] = [];
  let afterMs = 0;
  if (settle !== 'never') {
    afterMs = drawn(draw, `${name}/settle`, settle);
    states.push({ afterMs, state: rule?.ends ?? 'completed' });
  }
  for (const [index, { after, state }] of (rule?.later ?? []).entries()) {
    afterMs += drawn(draw, `${name}/later/${index}`, after);
    states.push({ afterMs, state });
  }
  return { visibleAfterMs: drawn(draw, `${name}/visible`, rule?.visible_after ?? NOW), states };
};
