import type { Logger } from 'pino';
import type { VerdictRecord } from '../../evaluator/index.ts';

/**
 * Tells of operations whose deadline had passed by the clock when they came: the embedded mode judges by the time at which a record
 * comes in, so an old log ends UNVERIFIABLE at once. Said once a run; each verdict says it of its own operation.
 */
export const lateStarts = (logger: Pick<Logger, 'warn'>): ((verdict: VerdictRecord) => void) => {
  let isSaid = false;
  return ({ verdict_id: verdict, revision, reason, operation_id: operation }) => {
    if (isSaid || revision !== 1 || reason !== 'evidence_unavailable_before_timeout') return;
    isSaid = true;
    logger.warn(
      { operation, verdict },
      'the deadline of an operation had passed by the clock when it came, so it is judged at once, and others like it are; ' +
        'to have it watched from an instant on, name that as observe_from in its operation.started; ' +
        'to judge a log by its own time, use `countersign replay`',
    );
  };
};
