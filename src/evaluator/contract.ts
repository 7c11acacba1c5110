import type { Json } from './json.ts';

/** E0 none, E1 the action's own response, E2 provider readback, E3 authenticated provider event. */
export type EvidenceLevel = 'E0' | 'E1' | 'E2' | 'E3';

export type VerdictName = 'VERIFIED' | 'CONTRADICTED' | 'FAILED' | 'PENDING' | 'UNVERIFIABLE';

export type ContradictionClass =
  | 'wrong_subject'
  | 'wrong_amount'
  | 'pre_existing_state'
  | 'duplicate_side_effect'
  | 'rejected'
  | 'handoff_drift';

/** What the reader of a verdict should do next. */
export type Advice = 'none' | 'wait' | 'retry_same_key' | 'do_not_retry' | 'ask_person';

export type ProviderName = 'paypal' | 'square' | 'shopify' | 'stripe';

export type Operator =
  | 'eq'
  | 'ne'
  | 'in'
  | 'not_in'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'time_after'
  | 'time_before'
  /** the observed list holds the expected value */
  | 'includes'
  /** the observed list does not hold the expected value */
  | 'excludes';

/**
 * Turns the value at a path into the value to compare.
 * - `count`: how many elements of the list at the path match `where`.
 * - `sum`: the exact decimal sum of `of` (a path inside an element) over the elements that match `where`; where `of`
 *   leads to a Shopify MoneyBag (`{shopMoney, presentmentMoney}`) the money whose currency is `currency` is taken.
 * - `money`: the amount of the MoneyBag at the path, in the money whose currency is `currency`.
 * - `currencies`: the list of currency codes of the MoneyBag at the path.
 */
export interface Aggregate {
  readonly op: 'count' | 'sum' | 'money' | 'currencies';
  readonly of?: string;
  /** field of an element → the values that match */
  readonly where?: { readonly [field: string]: readonly string[] };
  /** a path or a literal, for `sum` and `money` */
  readonly currency?: string;
}

/** One comparison. A string `expected` that begins with `$` is a path. */
export interface Comparison {
  /** e.g. `$observed.refund_readback.amount.value`, `$observed.refund_readback.data.refund.transactions[0].status` */
  readonly path: string;
  readonly aggregate?: Aggregate;
  readonly operator: Operator;
  readonly expected: Json;
  /** Without it strings compare as strings and nothing is normalised. */
  readonly as?: 'decimal' | 'instant' | 'currency';
  /** Further comparisons that must hold too; three-valued "and". */
  readonly and?: readonly Comparison[];
}

export interface VerifiedCondition extends Comparison {
  readonly name: string;
  readonly meaning: string;
  /** the channel that feeds it */
  readonly evidence: string;
}

export interface ContradictedCondition extends Comparison {
  readonly name: string;
  readonly class: ContradictionClass;
  readonly reason: string;
  /** `hold` (default): unknown holds VERIFIED back. `pass`: a value that is missing does not (an open count still does). */
  readonly when_unknown?: 'hold' | 'pass';
}

export interface StateRule {
  readonly name: string;
  readonly match: Comparison;
  readonly verdict: VerdictName;
  /** of a CONTRADICTED rule; `rejected` unless given */
  readonly class?: ContradictionClass;
  readonly reason: string;
  readonly advice?: Advice;
  /** who is asked where the advice comes to `ask_person`; nobody unless given */
  readonly escalate_to?: string;
}

export interface CorrelationStrategy {
  /**
   * `resource_id`: the refund id of the action's own result, or the keys of a weak look-up.
   * `idempotency_key`, `echo`: a value that the provider prints on the refund (custom_id, invoice_id, metadata, note).
   * `fingerprint`: payment and amount.
   */
  readonly strategy: 'resource_id' | 'idempotency_key' | 'echo' | 'fingerprint';
  readonly assurance: 'strong' | 'weak';
  /** key name → path, e.g. `refund_id: $action.result.id` */
  readonly keys: { readonly [name: string]: string };
  readonly required: boolean;
}

/** A readback channel: what the provider's API answers. */
export interface ReadChannel {
  readonly level: EvidenceLevel;
  readonly independence: 'provider_readback' | 'provider_event' | 'action';
  readonly verifier: 'http';
  readonly description: string;
  /** `refund`: the bound refund. `payment`: a list of the payment's refunds. */
  readonly reads: 'refund' | 'payment';
  /** Not needed for VERIFIED; conditions on it say `when_unknown: pass`. */
  readonly optional?: boolean;
  /** a path without whose value nobody can read the channel, e.g. `$input.order_id` for PayPal's list of refunds */
  readonly needs?: string;
  /**
   * Paths inside the answer that a lagging read may show wrongly (status, cumulative totals, lists). Inside the stale read
   * window they may prove but not disprove.
   */
  readonly volatile?: readonly string[];
}

/** An event channel: `{events, count, latest, earliest, types, duplicates_dropped}`. */
export interface EventChannel {
  readonly level: EvidenceLevel;
  readonly independence: 'provider_readback' | 'provider_event' | 'action';
  readonly verifier: 'webhook';
  readonly description: string;
  readonly events: {
    readonly types: readonly string[];
    /** `payment`: every refund of the payment since the operation started. `refund`: the bound refund alone. */
    readonly of: 'payment' | 'refund';
    /** the event's refund must have one of these statuses (the provider's words) */
    readonly statuses?: readonly string[];
  };
  readonly optional?: boolean;
}

export type Channel = ReadChannel | EventChannel;

/** How one field of `operation.started`'s input must look. */
export interface InputField {
  /**
   * `id`: non-empty string of at most 255 characters. `gid`: Shopify global id. `amount_decimal`: decimal string, more
   * than zero, at most the currency's decimals. `amount_exact`: decimal string with exactly the currency's decimals
   * (PayPal). `amount_minor`: positive integer of minor units. `currency`: three letters. `text`: any string.
   */
  readonly type: 'id' | 'gid' | 'amount_decimal' | 'amount_exact' | 'amount_minor' | 'currency' | 'text';
  readonly required: boolean;
  readonly description?: string;
}

export interface Timing {
  readonly initial_delay_ms: number;
  readonly poll_interval_ms: number;
  readonly backoff_factor: number;
  readonly backoff_max_ms: number;
  readonly max_attempts: number;
  readonly timeout_ms: number;
  readonly stale_read_window_ms: number;
  /** how long an unowned refund leaves the count open; 120 s in the shipped 1.1.0 contracts; 0 without attribution */
  readonly attribution_window_ms: number;
  /** widens the grain of printed times */
  readonly clock_skew_ms: number;
  /** how long after a terminal verdict evidence is still watched (35 days) */
  readonly watch_period_ms: number;
}

/** A completion contract as its YAML file states it. */
export interface Contract {
  readonly contract: { readonly id: string; readonly version: string };
  readonly title: string;
  readonly provider: ProviderName;
  readonly publisher?: string;
  readonly certification?: string;
  /** the hash that the published document prints; ours is computed */
  readonly published_hash?: string;
  readonly effective_from?: string;
  readonly completion_level: string;
  /** a level that proves money: only then may `money_moved` be true */
  readonly proves_money: boolean;
  readonly provider_api_versions: readonly string[];
  readonly proves: string;
  readonly intent: string;
  readonly subject: {
    readonly type: string;
    /** e.g. `{ refund_id: $action.result.id }` */
    readonly identity: { readonly [name: string]: string };
    readonly canonical_effect: string;
    readonly provider_operation: string;
  };
  readonly idempotency: {
    readonly key: string | null;
    readonly through: string | null;
    readonly retry_is_safe: boolean | null;
  };
  /** Where the intent's parts stand in the input. */
  readonly input: {
    readonly payment_id: string;
    readonly amount: string;
    /** null where the contract reads no currency (Square's and Shopify's 1.0.0) */
    readonly currency: string | null;
    readonly fields: { readonly [name: string]: InputField };
  };
  readonly correlation: {
    readonly strategies: readonly CorrelationStrategy[];
    /** `strong`: at least one strong strategy must have bound the refund, whichever it is */
    readonly required_assurance?: 'strong';
  };
  readonly evidence: {
    readonly minimum_level: EvidenceLevel;
    readonly independent_channel_required: boolean;
    readonly minimum_channels: number;
    /** `none`: the seeds' literal rule. `operations`: refunds are attributed to the operations of the payment. */
    readonly attribution: 'none' | 'operations';
  };
  readonly channels: { readonly [name: string]: Channel };
  readonly verified: readonly VerifiedCondition[];
  readonly contradicted: readonly ContradictedCondition[];
  readonly states: readonly StateRule[];
  readonly timing: Timing;
  readonly on_timeout: { readonly verdict: 'UNVERIFIABLE'; readonly reason: string; readonly escalate_to: string };
  readonly provenance: readonly {
    readonly rule: string;
    readonly source: string;
    readonly url?: string;
    readonly retrieved?: string;
  }[];
}

export interface ContractRef {
  readonly id: string;
  readonly version: string;
  /** SHA-256 over RFC 8785 canonical JSON, first 16 hex digits */
  readonly hash: string;
}

export const isEventChannel = (channel: Channel): channel is EventChannel => channel.verifier === 'webhook';
