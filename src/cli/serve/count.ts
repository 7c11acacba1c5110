import type { VerdictRecord } from '../../evaluator/index.ts';
import type { Metrics } from '../../observability/metrics.ts';

export const countVerdict = (metrics: Metrics, { verdict, class: kind, reason, provider }: VerdictRecord): void => {
  metrics.verdicts.inc({ verdict, class: kind ?? '', reason });
  if (kind === 'duplicate_side_effect') metrics.duplicateRefunds.inc({ provider });
};

export const countDeadLetter = (metrics: Metrics, code: string): void => metrics.deadLetters.inc({ code });
