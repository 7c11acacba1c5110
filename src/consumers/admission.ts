import type { ErrorCode } from '../errors.ts';
import type { ContractSet, EpochMs, Observation, PaymentRef, ProviderName, Source } from '../evaluator/index.ts';
import type { Projection } from '../evaluator/projection.ts';
import type { Endpoint } from '../providers/index.ts';

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
  | ({ readonly outcome: 'refused' } & DeadLetterReason)
  | { readonly outcome: 'ignored'; readonly reason: string };

/** What admission is built from. */
export interface AdmissionOptions {
  readonly contracts: ContractSet;
  readonly endpoints: readonly Endpoint[];
  /** take the gateway's word that an event is authentic; routing and tenants are checked all the same */
  readonly trustGateway: boolean;
  /** accept PayPal's simulator */
  readonly testMode: boolean;
}

/** The same, prepared once. */
export interface AdmissionRules extends AdmissionOptions {
  projectionOf(provider: ProviderName): Projection;
  endpointOf(provider: ProviderName, account: string, endpoint: string): Endpoint | null;
}
