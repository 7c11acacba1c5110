import type { HandoffDecided } from '../evaluator/index.ts';

/** What is known of charges and of requests for a plan. Throws STATE_UNAVAILABLE where it cannot be asked. */
export interface HandoffLookup {
  /** the payments that have a charge receipt of this reference: none or one, unless issuers gave a reference out twice */
  paymentsOfCharge(receiptRef: string): Promise<readonly string[]>;
  /** Notes which payment a request is for, so that it can be asked for by its id. */
  note(handoffId: string, paymentKey: string): Promise<void>;
  /** the answer to a request; null: there is none yet. @param paymentKey where it is known */
  decided(handoffId: string, paymentKey: string | null): Promise<HandoffDecided | null>;
}
