import type { Json, JsonObject } from './json.ts';
import type { EpochMs, PaymentRef, Source } from './observation.ts';

/** At most this many receipts, bodies of one receipt and decisions are kept for one payment; past it no plan is granted. */
export const MAX_RECEIPTS = 100;
export const MAX_RECEIPT_BODIES = 8;
export const MAX_DECISIONS = 200;

/** A charge receipt justifies plans for so long after it was issued; its payment's state is kept as long. */
export const CHARGE_VALID_MS = 400 * 86_400_000;

/** A hold outlives its end by this much: a start that was made in time may still be on its way. */
export const HOLD_GRACE_MS = 120_000;

/**
 * How far a receipt is proof: `proven` signed by a configured issuer with the provider's own references and money that moved;
 * `unsealed` not signed so; `reference_only` there is nothing but the reference; `proofless` signed, without that proof.
 */
export type Standing = 'proven' | 'unsealed' | 'reference_only' | 'proofless';

/** What a charge receipt proves, or a refund receipt: then `refund` says which. Amounts are decimal text in major units. */
export interface ReceiptBody {
  /** SHA-256 of the canonical payload, hex */
  readonly digest: string;
  readonly issuer: string;
  readonly payer: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly rail: string;
  readonly realm: string;
  readonly proof: readonly string[];
  /** Shopify: the gateway that took the payment, which its refund call must name */
  readonly gateway: string | null;
  readonly issuedAt: string;
  readonly refund: { readonly refundId: string; readonly chargeRef: string } | null;
}

/** A receipt came in. */
export interface ReceiptObservation {
  readonly kind: 'receipt';
  readonly at: EpochMs;
  readonly source: Source;
  readonly of: 'charge' | 'refund';
  readonly receiptRef: string;
  readonly standing: Standing;
  /** why it is not proven; null where it is */
  readonly why: string | null;
  /** null unless proven */
  readonly body: ReceiptBody | null;
}

/** All that is known of one receipt reference. What is proven is never displaced by what is not. */
export interface ReceiptEntry {
  readonly of: 'charge' | 'refund';
  /** different proven bodies, by digest: two are a conflict */
  readonly bodies: readonly ReceiptBody[];
  /** the best standing that was seen, with its reason */
  readonly standing: Standing;
  readonly why: string | null;
  /** the earliest time that any record told of it */
  readonly at: EpochMs;
}

/** One reason why no plan is given: which check, what it saw, and what it needed. */
export interface HandoffRefusal {
  readonly code: string;
  readonly check: string;
  readonly seen: string | null;
  readonly needed: string;
}

/** A signed permission for one refund, as far as it could be read. */
export interface AuthorityFacts {
  /** `authority:<issuer>:<id>` */
  readonly key: string;
  readonly issuer: string;
  readonly id: string;
  /** SHA-256 of the canonical payload, hex */
  readonly digest: string;
  readonly payer: string;
  readonly currency: string;
  readonly rail: string;
  readonly realm: string;
  readonly operation: string;
  /** decimal text in major units */
  readonly maxAmount: string;
  /** the one charge that it is for; null: any that agrees in all else */
  readonly chargeRef: string | null;
  readonly expiresAt: EpochMs;
}

/** What a request asks for, in the caller's words. */
export interface HandoffTerms {
  readonly chargeRef: string;
  /** decimal text in major units */
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
  readonly rail: string;
  readonly counterparty: string;
}

/** To which request an authority is bound: the first valid one, in the order of the authority's own log. */
export interface AuthorityBinding {
  readonly paymentKey: string;
  readonly requestDigest: string;
}

/** A plan is asked for. */
export interface HandoffObservation {
  readonly kind: 'handoff';
  /** when the request came in, by the edge that took it */
  readonly at: EpochMs;
  /** where the request stands, before it was passed on */
  readonly source: Source;
  readonly handoffId: string;
  readonly requestDigest: string;
  readonly terms: HandoffTerms;
  /** what is wrong with the request and its authority whatever the payment */
  readonly problems: readonly HandoffRefusal[];
  /** null where it could not be read */
  readonly authority: AuthorityFacts | null;
  readonly binding: AuthorityBinding | null;
}

/** The provider's own call that makes the refund of a plan. Names of headers are as the provider prints them. */
export interface AdapterCall {
  readonly rail: string;
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  /** the exact text to send */
  readonly body: string;
}

/** A sum that lowers what is left of a charge. */
export interface Taken {
  readonly kind: 'refund' | 'operation' | 'refund_receipt' | 'hold';
  /** the refund's, operation's, receipt's or handoff's id */
  readonly id: string;
  /** decimal text in major units */
  readonly amount: string;
}

/** One refund that may be made, once: what `plan_digest` is made of. */
export interface HandoffPlan {
  readonly handoff_id: string;
  readonly charge: {
    readonly receipt_ref: string;
    readonly receipt_digest: string;
    readonly issuer: string;
    readonly payment_key: string;
    readonly payer: string;
    readonly amount: string;
    readonly currency: string;
    readonly rail: string;
    readonly realm: string;
    readonly provider_proof: readonly string[];
  };
  readonly refund: {
    readonly amount: string;
    readonly currency: string;
    readonly counterparty: string;
    readonly reason: string;
    /** in the form that the provider's contract reads: integers at Square and Stripe */
    readonly provider_amount: Json;
  };
  readonly ceiling: {
    readonly charged: string;
    readonly taken: readonly Taken[];
    readonly remaining_before: string;
    readonly remaining_after: string;
    /**
     * ids of plans that had ended unbegun and were not taken off, where they would no longer fit beside this one: a start that
     * comes on one of them all the same finds its sum given away. Left out where there is none.
     */
    readonly lapsed?: readonly string[];
  };
  readonly authority: {
    readonly issuer: string;
    readonly id: string;
    readonly digest: string;
    readonly max_amount: string;
    readonly expires_at: string;
    readonly checks: readonly string[];
  };
  readonly adapter: AdapterCall;
  readonly idempotency_key: string;
  readonly requested_at: string;
  /** until when the sum is held for this plan, and the operation must have begun */
  readonly hold_until: string;
  readonly money_moved: false;
  readonly provider_status: 'not_called';
}

/** The answer to a request, exactly as it is published (`handoffs`). */
export interface HandoffDecided {
  readonly kind: 'handoff.decided';
  readonly schema: 1;
  readonly handoff_id: string;
  readonly provider: string;
  readonly account: string;
  readonly payment_key: string;
  readonly request_digest: string;
  readonly authority_key: string | null;
  readonly decision: 'planned' | 'refused';
  readonly plan: HandoffPlan | null;
  /** SHA-256 of the plan's canonical JSON, hex: what `operation.started.handoff` names */
  readonly plan_digest: string | null;
  /** the start to publish before the provider is called */
  readonly operation: JsonObject | null;
  readonly refusals: readonly HandoffRefusal[];
  /** what is true and worth knowing, and refuses nothing */
  readonly notes: readonly string[];
  /** what was seen and is not repeated here */
  readonly redactions: readonly string[];
  readonly money_moved: false;
  readonly provider_status: 'not_called';
  /** when the request came in */
  readonly requested_at: string;
  readonly decided_at: string;
  /** the request that it answers */
  readonly request: Source;
}

/** What a payment knows of charges, reversals and plans. */
export interface HandoffState {
  /** receipt reference → what is known of it */
  readonly receipts: { readonly [receiptRef: string]: ReceiptEntry };
  /** handoff id → the last decision */
  readonly decisions: { readonly [handoffId: string]: HandoffDecided };
  /** more receipts or bodies than are kept */
  readonly isLimited: boolean;
}

export const NO_HANDOFF: HandoffState = { receipts: {}, decisions: {}, isLimited: false };

/** Money of the payment that went, or may have: a refund, or an operation whose refund is not known. */
export interface StandingSum {
  readonly kind: 'refund' | 'operation';
  readonly id: string;
  /** as the provider or the operation's input states it; null where nobody does */
  readonly amount: string | null;
  readonly currency: string | null;
  /** the same sum in a second currency */
  readonly otherMoney: { readonly amount: string; readonly currency: string } | null;
}

/** What a decision is made from. */
export interface HandoffQuestion {
  readonly payment: PaymentRef;
  readonly request: HandoffObservation;
  readonly held: HandoffState;
  /** every live refund, owned or not, and every open operation that none of them is of */
  readonly sums: readonly StandingSum[];
  /**
   * Digests of plans that an operation carries out as they say: it is counted in the plan's place. One that leaves its plan is
   * counted beside it, since the plan's own call may still be made.
   */
  readonly started: ReadonlySet<string>;
  /** the provider itself took money of this payment back */
  readonly isReversed: boolean;
  readonly isDisputed: boolean;
  /** more refunds or events than are kept */
  readonly isLimited: boolean;
  /** stream time: for `decided_at` alone */
  readonly now: EpochMs;
}

/** Grants or refuses a plan. Pure: the same question has the same answer. */
export type DecideHandoff = (question: HandoffQuestion) => HandoffDecided;
