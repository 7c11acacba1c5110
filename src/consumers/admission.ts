import type { ErrorCode } from '../errors.ts';
import type { ContractSet, EpochMs, Observation, PaymentRef, ProviderName, Source } from '../evaluator/index.ts';
import type { Projection } from '../evaluator/projection.ts';
import type { HandoffProofs } from '../ports/handoff-proofs.ts';
import type { Endpoint } from '../providers/index.ts';
import type { HandoffRequested } from '../records/records.ts';

/** Where a record stands in the log, and what the log says of it. */
export interface RecordContext {
  readonly source: Source;
  /** the log's own timestamp; null where it keeps none */
  readonly timestamp: EpochMs | null;
  /** the record's key, `<provider>:<account>:<payment id>`; read only where nothing else names the payment */
  readonly key?: string | null;
}

/** Why a record goes to dead-letter. */
export interface DeadLetterReason {
  readonly code: ErrorCode;
  /** names the field, what it was and what it should be; never a secret */
  readonly reason: string;
}

/**
 * - `admitted`: the observations of one payment, in the order they are to be reduced. `deadLetter`: the record goes to
 *   dead-letter as well (a refused start, which still gets its verdict).
 * - `bind`: a request for a plan, on the partition of the authority that it shows. `claim`: what the authority is bound to where this
 *   is the first; null where it cannot be.
 * - `refused`: no evidence; to dead-letter.
 * - `ignored`: authentic, and about something else.
 */
export type Admitted =
  | {
      readonly outcome: 'admitted';
      readonly ref: PaymentRef;
      readonly observations: readonly Observation[];
      readonly deadLetter?: DeadLetterReason;
    }
  | {
      readonly outcome: 'bind';
      /** null: it names none */
      readonly authorityKey: string | null;
      readonly request: HandoffRequested;
      readonly claim: AuthorityClaim | null;
    }
  | ({ readonly outcome: 'refused' } & DeadLetterReason)
  | { readonly outcome: 'ignored'; readonly reason: string };

/** What an authority is bound to, and until when that matters. */
export interface AuthorityClaim {
  readonly paymentKey: string;
  readonly requestDigest: string;
  readonly expiresAt: EpochMs;
}

/** What admission is built from. */
export interface AdmissionOptions {
  readonly contracts: ContractSet;
  readonly endpoints: readonly Endpoint[];
  /** take the gateway's word that an event is authentic; routing and tenants are checked all the same */
  readonly trustGateway: boolean;
  /** accept PayPal's simulator */
  readonly testMode: boolean;
  /** reads receipts and authorities; without it records of the handoff are ignored */
  readonly handoffs?: HandoffProofs | undefined;
}

/** The same, prepared once. */
export interface AdmissionRules extends AdmissionOptions {
  projectionOf(provider: ProviderName): Projection;
  endpointOf(provider: ProviderName, account: string, endpoint: string): Endpoint | null;
}
