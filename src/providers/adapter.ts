import type { ErrorCode } from '../errors.ts';
import type { EpochMs, EventObservation, Json, JsonObject, ProviderName, RefundFacts } from '../evaluator/index.ts';
import type { Endpoint } from './endpoint.ts';

/** Header names in any case. */
export type DeliveryHeaders = Readonly<Record<string, string>>;

/** The bytes as they were signed; a string stands for its UTF-8 bytes. */
export type RawBody = string | Uint8Array;

/** One delivery of a webhook, as the gateway took it down. */
export interface Delivery {
  readonly raw: RawBody;
  readonly headers: DeliveryHeaders;
  readonly receivedAt: EpochMs;
  /** PEM certificates that came with the record (PayPal) */
  readonly certificates: readonly string[];
}

/** Why something is not evidence. `reason` names the field, what it was and what it should be; never a secret. */
export interface Refusal {
  readonly outcome: 'refused';
  readonly code: ErrorCode;
  readonly reason: string;
}

export type Authentication = { readonly outcome: 'authentic' } | Refusal;

/** What an authentic webhook says. */
export interface ProviderEvent {
  readonly outcome: 'event';
  /** '' where the provider prints none */
  readonly eventId: string;
  readonly type: string;
  readonly role: EventObservation['role'];
  /** null: the event names no payment */
  readonly paymentId: string | null;
  /** the refunds it carries; one, save for a Stripe charge that lists several */
  readonly facts: readonly RefundFacts[];
  /** as printed */
  readonly occurredAt: string | null;
}

/** An authentic event about something else. */
export interface Ignored {
  readonly outcome: 'ignored';
  readonly reason: string;
}

/** What a provider's answer to a read says. `body` is in the shape that contract paths read. */
export type Answer =
  | { readonly outcome: 'refund'; readonly body: JsonObject; readonly facts: RefundFacts }
  | {
      readonly outcome: 'list';
      readonly body: JsonObject;
      readonly facts: readonly RefundFacts[];
      /** more pages lie behind this one: it cannot prove that a refund is absent */
      readonly isPartial: boolean;
    }
  /** a null node where the resource should be */
  | { readonly outcome: 'absent' }
  /** an error inside an answer of HTTP 200 */
  | { readonly outcome: 'error'; readonly kind: string }
  | Refusal;

/** What the action's own answer says. */
export type ActionAnswer =
  | { readonly outcome: 'result'; readonly result: JsonObject; readonly facts: RefundFacts | null }
  /** an error where the result should be; `declined` only where the provider says that it did nothing */
  | { readonly outcome: 'error'; readonly kind: 'declined' | 'unknown'; readonly code: string | null };

/** Everything provider-specific that admission needs. All of it pure; nothing here throws on hostile input. */
export interface ProviderAdapter {
  readonly provider: ProviderName;
  /** the input field that usually names the payment */
  readonly paymentField: string;
  /** Whether the provider signed the raw bytes. The endpoint must be of this provider. */
  authenticate(delivery: Delivery, endpoint: Endpoint, testMode: boolean): Authentication;
  /** Whether an authentic event is of the endpoint's tenant; null if so, else what is wrong. */
  tenantMismatch(body: JsonObject, headers: DeliveryHeaders, endpoint: Endpoint): string | null;
  event(body: JsonObject, headers: DeliveryHeaders): ProviderEvent | Ignored | Refusal;
  /** @param reads what the contract's channel reads: one refund, or a payment with its refunds */
  answer(body: JsonObject, reads: 'refund' | 'payment'): Answer;
  action(result: JsonObject): ActionAnswer;
  /** The provider's short code in an error body, e.g. CAPTURE_FULLY_REFUNDED; null if there is none. */
  errorCode(body: Json): string | null;
}

export const refused = (code: ErrorCode, reason: string): Refusal => ({ outcome: 'refused', code, reason });

/** An event that is not as the provider's documentation has it. */
export const malformed = (field: string, was: Json | undefined, shouldBe: string): Refusal =>
  refused('EVENT_MALFORMED', `${field}: was ${shown(was)}, should be ${shouldBe}`);

/** A value for an error message: short, and never a whole body. */
export const shown = (value: Json | undefined): string => {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value).slice(0, 60);
};
