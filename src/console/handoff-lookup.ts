import { type HandoffDecided, own, type PaymentState } from '../evaluator/index.ts';
import type { HandoffIndex } from '../ports/handoff-index.ts';
import type { HandoffLookup } from '../ports/handoff-lookup.ts';

/** Reads answers out of payment states. */
export const createHandoffLookup = (
  index: HandoffIndex,
  stateOf: (paymentKey: string) => Promise<PaymentState | null>,
): HandoffLookup => {
  const decidedOf = async (handoffId: string, paymentKey: string): Promise<HandoffDecided | null> => {
    const state = await stateOf(paymentKey);
    return own(state?.handoff?.decisions ?? {}, handoffId) ?? null;
  };
  return {
    paymentsOfCharge: (receiptRef) => index.charges.paymentsOf(receiptRef),
    note: (handoffId, paymentKey) => index.handoffs.add(handoffId, paymentKey),
    decided: async (handoffId, paymentKey) => {
      const keys = paymentKey === null ? await index.handoffs.paymentsOf(handoffId) : [paymentKey];
      for (const key of keys) {
        const decided = await decidedOf(handoffId, key);
        if (decided !== null) return decided;
      }
      return null;
    },
  };
};
