import type { HandoffDecided } from '../evaluator/index.ts';
import type { Metrics } from './metrics.ts';

/** Counts an answer to a request for a plan: a grant, which spends its authority, or each stop condition that was told. */
export const countHandoff = (
  metrics: Pick<Metrics, 'handoffs'>,
  { decision, refusals }: Pick<HandoffDecided, 'decision' | 'refusals'>,
): void => {
  if (decision === 'planned') metrics.handoffs.inc({ outcome: decision });
  for (const code of new Set(refusals.map((one) => one.code))) metrics.handoffs.inc({ outcome: code });
};
