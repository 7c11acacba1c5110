import { instantMs } from '../evaluator/instant.ts';
import type { ReviewDecided } from '../records/records.ts';
import type { Admitted, RecordContext } from './admission.ts';
import { sha256OfJson } from './digest.ts';

/** A reviewer's decision. Whether it answers a verdict of its operation is the reducer's to say. */
export const admitReview = (record: ReviewDecided, context: RecordContext): Admitted => {
  const { answers, decision, reason, reviewer } = record;
  return {
    outcome: 'admitted',
    ref: { provider: record.provider, account: record.account, paymentId: record.payment_id },
    observations: [
      {
        kind: 'review',
        at: instantMs(record.decided_at) ?? 0,
        source: context.source,
        operationId: record.operation_id,
        answers,
        decision,
        reason,
        reviewer,
        decidedAt: record.decided_at,
        sha256: sha256OfJson([record.operation_id, answers, decision, reason, reviewer, record.decided_at]),
      },
    ],
  };
};
