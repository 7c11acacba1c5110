import type { ContradictionClass, ProviderName } from './contract.ts';
import type { HandoffObservation, ReceiptObservation } from './handoff.ts';
import type { Json, JsonObject } from './json.ts';

/** Milliseconds since the epoch. */
export type EpochMs = number;

/** Where a record stands in the log. In `replay`: the file's name as topic, partition 0, the line number as offset. */
export interface Source {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
}

/**
 * What a provider's refund resource says, normalised by the provider's adapter. Words and amounts stay in the provider's
 * own form; `state` is the adapter's reading of them.
 */
export interface RefundFacts {
  readonly refundId: string;
  /** the payment that the resource itself names; null where it names none */
  readonly paymentId: string | null;
  /** decimal text in the unit of the contract's input (PayPal and Shopify major units, Square and Stripe minor units) */
  readonly amount: string | null;
  readonly currency: string | null;
  /**
   * The same sum in a second currency, where the provider states one (the buyer's money beside the shop's); null where there
   * is a second currency and the sum in it is not stated.
   */
  readonly otherMoney?: { readonly amount: string; readonly currency: string } | null;
  /** the provider's own word, e.g. COMPLETED */
  readonly status: string | null;
  /**
   * `complete` the money went, `pending` it is on its way, `dead` it did not and will not go (FAILED, REJECTED, CANCELLED),
   * `unknown` the provider used a word we do not know or none, `no_money` no movement of money at all (a Shopify restock).
   */
  readonly state: 'complete' | 'pending' | 'dead' | 'unknown' | 'no_money';
  /** as printed, with the provider's own precision */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** Square's `version` */
  readonly version: number | null;
  /** values that the provider prints and the caller chose: custom_id, invoice_id, metadata values, note */
  readonly echoes: readonly string[];
}

interface Observed {
  /** the record's own time: created_at, completed_at, received_at, observed_at, decided_at */
  readonly at: EpochMs;
  readonly source: Source;
}

export interface StartedObservation extends Observed {
  readonly kind: 'started';
  readonly operationId: string;
  /** version is already resolved (newest in effect at created_at where none was named), null for an unknown contract */
  readonly contract: { readonly id: string; readonly version: string | null };
  /** as printed */
  readonly createdAt: string;
  readonly idempotencyKey: string;
  readonly input: JsonObject;
  readonly handoff: string | null;
  readonly observeFrom: string | null;
  /** the start parses but is refused: it still gets a verdict, so that no ledger waits for ever */
  readonly refused: { readonly code: 'contract_unknown' | 'input_invalid'; readonly detail: string } | null;
  /** digest of contract id and version as named, input, key and handoff: what must not differ between two starts of one id */
  readonly identity: string;
}

export interface ActedObservation extends Observed {
  readonly kind: 'acted';
  readonly operationId: string;
  readonly completedAt: string;
  /** the action's answer, projected to the paths that contracts read; null for an error */
  readonly result: JsonObject | null;
  readonly facts: RefundFacts | null;
  readonly error: {
    readonly kind: 'timeout' | 'network' | 'declined' | 'unknown';
    readonly httpStatus: number | null;
    /** a short provider code, e.g. CAPTURE_FULLY_REFUNDED */
    readonly code: string | null;
  } | null;
  readonly sha256: string;
}

export interface EventObservation extends Observed {
  readonly kind: 'event';
  /** digest of (provider, account, event id, type, refund id, status), or of the body where the id is blank */
  readonly dedupeKey: string;
  readonly eventId: string;
  /** the provider's own word; Shopify's is the WebhookSubscriptionTopic value (REFUNDS_CREATE) */
  readonly type: string;
  /** `refund` is evidence of a refund; the others are findings */
  readonly role: 'refund' | 'reversal' | 'dispute' | 'other';
  readonly facts: RefundFacts | null;
  /** the provider's own time of the event, as printed; null where it prints none */
  readonly occurredAt: string | null;
  readonly sha256: string;
}

export interface ReadObservation extends Observed {
  readonly kind: 'read';
  readonly operationId: string;
  /** the contract's channel, e.g. `refund_readback`, `payment_readback` */
  readonly channel: string;
  readonly purpose: 'poll' | 'event' | 'deadline' | 'candidate' | 'list';
  /** what was asked; null: the bound refund */
  readonly resourceId: string | null;
  readonly attempt: number | null;
  readonly outcome: 'ok' | 'absent' | 'error';
  readonly error: { readonly kind: string; readonly retryAfterMs: number | null } | null;
  /** the answer, projected to the paths that contracts read; null unless ok */
  readonly body: JsonObject | null;
  /** of a refund read: its one refund; of a payment read: every refund it lists */
  readonly facts: readonly RefundFacts[];
  readonly isList: boolean;
  /** of a list: more pages lie behind this one, so it proves what it holds and not that a refund is absent */
  readonly isPartial?: boolean;
  readonly sha256: string;
}

export interface ReviewObservation extends Observed {
  readonly kind: 'review';
  readonly operationId: string;
  /** the verdict id that the decision answers */
  readonly answers: string;
  readonly decision: 'VERIFIED' | 'CONTRADICTED' | 'FAILED';
  readonly reason: string;
  readonly reviewer: string;
  readonly decidedAt: string;
  readonly sha256: string;
}

/** An admitted record, normalised: what the reducer sees. */
export type Observation =
  | StartedObservation
  | ActedObservation
  | EventObservation
  | ReadObservation
  | ReviewObservation
  | ReceiptObservation
  | HandoffObservation;

export interface PaymentRef {
  readonly provider: ProviderName;
  readonly account: string;
  readonly paymentId: string;
}

/** `<provider>:<account>:<payment id>`. The id is last and may hold colons; nothing is parsed back out of a key. */
export const paymentKey = (ref: PaymentRef): string => `${ref.provider}:${ref.account}:${ref.paymentId}`;

export type { ContradictionClass, Json };
