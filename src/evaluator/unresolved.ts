import type { EpochMs } from './observation.ts';
import { earliest } from './order.ts';
import { lastPublished, type PaymentState } from './state.ts';

/** When the oldest operation began whose last verdict is PENDING; null where the payment has none. */
export const unresolvedSince = (state: PaymentState): EpochMs | null => {
  let since: EpochMs | null = null;
  for (const operation of Object.values(state.operations)) {
    if (operation.start !== null && lastPublished(operation)?.verdict === 'PENDING') {
      since = earliest(since, operation.start.at);
    }
  }
  return since;
};

/** How many repeats of events dedupe has dropped for the payment. */
export const droppedCount = ({ dropped }: Pick<PaymentState, 'dropped'>): number =>
  Object.values(dropped).reduce((sum, count) => sum + count, 0);
