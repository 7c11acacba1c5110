import type { ContradictionClass, ProviderName, VerdictName } from './contract.ts';
import type { HandoffState } from './handoff.ts';
import type { JsonObject } from './json.ts';
import type { EpochMs, EventObservation, RefundFacts, Source } from './observation.ts';
import type { ReceiptRef } from './verdict.ts';

/** At most this many refunds and event digests are kept for one payment; past it its operations get `state_limit`. */
export const MAX_REFUNDS = 200;
export const MAX_EVENTS = 1000;
/** At most this many action answers, reviews and remembered revisions an operation. */
export const MAX_ACTIONS = 20;
export const MAX_REVIEWS = 20;
export const MAX_RIVALS = 8;
export const MAX_REVISIONS_KEPT = 32;

/** The greatest facts one source of evidence has given for a refund (see `fold.ts`). */
export interface FoldedFacts {
  readonly facts: RefundFacts;
  readonly at: EpochMs;
  readonly sha256: string;
  readonly source: Source;
}

/** The greatest ok answer of a readback channel, with the fields that contracts read. */
export interface FoldedRead extends FoldedFacts {
  readonly body: JsonObject;
}

export interface RefundState {
  /** the earliest time any record named it: its attribution window runs from here */
  readonly seenAt: EpochMs;
  readonly event?: FoldedFacts;
  readonly listed?: FoldedFacts;
  readonly acted?: FoldedFacts;
  /** channel → its greatest ok answer */
  readonly reads?: { readonly [channel: string]: FoldedRead };
}

/** One authenticated provider event, once. The body is gone; its digest stays. */
export interface EventEntry {
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly role: EventObservation['role'];
  readonly refundId: string | null;
  readonly status: string | null;
  /** the provider's own time of the event, as printed */
  readonly occurredAt: string | null;
  readonly at: EpochMs;
  readonly sha256: string;
  readonly source: Source;
}

/** The latest ok answer of a channel that lists the payment's refunds. */
export interface ListRead {
  readonly at: EpochMs;
  readonly sha256: string;
  readonly source: Source;
  readonly body: JsonObject;
  readonly refundIds: readonly string[];
}

export interface ActionEntry {
  readonly at: EpochMs;
  readonly completedAt: string;
  readonly sha256: string;
  readonly result: JsonObject | null;
  readonly refundId: string | null;
  readonly error: { readonly kind: string; readonly httpStatus: number | null; readonly code: string | null } | null;
}

export interface OperationStart {
  readonly contract: { readonly id: string; readonly version: string | null };
  readonly createdAt: string;
  readonly at: EpochMs;
  readonly idempotencyKey: string;
  readonly input: JsonObject;
  readonly handoff: string | null;
  readonly observeFrom: string | null;
  readonly refused: { readonly code: 'contract_unknown' | 'input_invalid'; readonly detail: string } | null;
  readonly identity: string;
  readonly source: Source;
}

/** What a channel's reads for one operation have come to, for the contract's clock. */
export interface PollState {
  /** the greatest attempt number that was answered (ok or absent) */
  readonly attempts: number;
  readonly answeredAt: EpochMs | null;
  readonly erroredAt: EpochMs | null;
  /** not before this instant (the provider's Retry-After) */
  readonly retryAt: EpochMs | null;
}

export interface ReviewEntry {
  readonly at: EpochMs;
  readonly answers: string;
  readonly decision: 'VERIFIED' | 'CONTRADICTED' | 'FAILED';
  readonly reason: string;
  readonly reviewer: string;
  readonly decidedAt: string;
  readonly sha256: string;
}

/** What was published: enough to know whether the next evaluation says something new, and what a review answers. */
export interface Published {
  readonly revision: number;
  readonly verdict: VerdictName;
  readonly class: ContradictionClass | null;
  /** the reason that was published */
  readonly reason: string;
  /** the evaluated reason behind it, where it differs (`withdrawn`) */
  readonly evaluated: string;
  readonly moneyMoved: boolean | null;
  /** how many duplicates it named */
  readonly duplicates: number;
  /** its advice and findings (see `told.ts`) */
  readonly told: string;
  readonly at: EpochMs;
}

export interface OperationState {
  readonly start: OperationStart | null;
  /** other starts of this id that disagreed; the earliest of all stands. At most {@link MAX_RIVALS}, sorted. */
  readonly rivals: readonly { readonly identity: string; readonly at: EpochMs }[];
  readonly actions: readonly ActionEntry[];
  readonly polls: { readonly [channel: string]: PollState };
  readonly reviews: readonly ReviewEntry[];
  /** oldest first, at most {@link MAX_REVISIONS_KEPT} */
  readonly published: readonly Published[];
  /** the last receipt that seals a revision of it; whoever seals the next one writes it, the reducer leaves it alone */
  readonly receipt: ReceiptRef | null;
}

/** Everything known of one payment: the unit of state. Serialised as JSON by the stores. */
export interface PaymentState {
  readonly provider: ProviderName;
  readonly account: string;
  readonly paymentId: string;
  readonly operations: { readonly [operationId: string]: OperationState };
  readonly refunds: { readonly [refundId: string]: RefundState };
  readonly events: readonly EventEntry[];
  readonly lists: { readonly [channel: string]: ListRead };
  /** repeats of an event that dedupe dropped, by refund id ('' where it names none) */
  readonly dropped: { readonly [refundId: string]: number };
  /** the last instant anything was recorded, by the records' own time */
  readonly touchedAt: EpochMs;
  readonly isLimited: boolean;
  /** left out where nobody has told of a charge or asked for a plan */
  readonly handoff?: HandoffState;
  /** when the payment must be evaluated again without a new record; null: never */
  readonly evaluateAt: EpochMs | null;
}

export const lastPublished = (operation: OperationState): Published | null => operation.published.at(-1) ?? null;
