import type { AuthorityFacts, HandoffRefusal, HandoffTerms, ReceiptObservation } from '../evaluator/index.ts';
import type { ChargeReceipt, HandoffRequested, RefundReceipt } from '../records/index.ts';

/** How far a receipt is proof. */
export type ReadReceipt = Pick<ReceiptObservation, 'standing' | 'why' | 'body'>;

/** A request as it was read, before anything is known of its payment. */
export interface ReadRequest {
  /** the same for the same request, whenever it comes */
  readonly handoffId: string;
  readonly requestDigest: string;
  readonly terms: HandoffTerms;
  readonly problems: readonly HandoffRefusal[];
  /** null where it cannot be read */
  readonly authority: AuthorityFacts | null;
  /** whether the authority may be bound to this request: it is whole, signed, in force, and for what is asked */
  readonly isBindable: boolean;
}

/** Reads what issuers signed, by the keys that are configured: offline and repeatable, like all admission. Total. */
export interface HandoffProofs {
  receipt(record: ChargeReceipt | RefundReceipt): ReadReceipt;
  request(record: HandoffRequested): ReadRequest;
}
