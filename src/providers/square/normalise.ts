import type { Json, JsonObject, RefundFacts } from '../../evaluator/index.ts';
import { isJsonObject } from '../../evaluator/index.ts';
import type { ActionAnswer, Answer, Ignored, ProviderEvent, Refusal } from '../adapter.ts';
import { malformed, refused } from '../adapter.ts';
import { own, ownList, ownObject, ownText, textOf } from '../own.ts';
import { squareRefundFacts, squareRefundNamed } from './refund-facts.ts';

const refundEvent = (type: string, eventId: string, body: JsonObject): ProviderEvent | Ignored | Refusal => {
  const refund = ownObject(ownObject(ownObject(body, 'data') ?? undefined, 'object') ?? undefined, 'refund');
  if (refund === null) return malformed('data.object.refund', undefined, 'the refund');
  const facts = squareRefundFacts(refund);
  if (facts === null) return malformed('data.object.refund.id', own(refund, 'id'), 'the id of the refund');
  if (facts.paymentId === null && own(refund, 'unlinked') === true) {
    return { outcome: 'ignored', reason: 'an unlinked refund belongs to no payment' };
  }
  const occurredAt = ownText(body, 'created_at');
  return { outcome: 'event', eventId, type, role: 'refund', paymentId: facts.paymentId, facts: [facts], occurredAt };
};

const disputeEvent = (type: string, eventId: string, body: JsonObject): ProviderEvent | Refusal => {
  const dispute = ownObject(ownObject(ownObject(body, 'data') ?? undefined, 'object') ?? undefined, 'dispute');
  if (dispute === null) return malformed('data.object.dispute', undefined, 'the dispute');
  const disputed = ownObject(dispute, 'disputed_payment') ?? ownList(dispute, 'disputed_payments')[0];
  const paymentId = ownText(disputed, 'payment_id');
  return {
    outcome: 'event',
    eventId,
    type,
    role: 'dispute',
    paymentId,
    facts: [],
    occurredAt: ownText(body, 'created_at'),
  };
};

/** A Square webhook. Routed on `type` alone: refund.created, refund.updated, dispute.*; all else is about other things. */
export const squareEvent = (body: JsonObject): ProviderEvent | Ignored | Refusal => {
  const type = ownText(body, 'type');
  if (type === null) return malformed('type', own(body, 'type'), 'the event type, e.g. "refund.updated"');
  const eventId = ownText(body, 'event_id') ?? '';
  if (type === 'refund.created' || type === 'refund.updated') return refundEvent(type, eventId, body);
  if (type.startsWith('dispute.')) return disputeEvent(type, eventId, body);
  return { outcome: 'ignored', reason: `events of type ${type} say nothing about refunds` };
};

const ERROR_KINDS: ReadonlyMap<string, string> = new Map([
  ['RATE_LIMITED', 'rate_limited'],
  ['UNAUTHORIZED', 'auth'],
  ['ACCESS_TOKEN_EXPIRED', 'auth'],
  ['ACCESS_TOKEN_REVOKED', 'auth'],
  ['FORBIDDEN', 'auth'],
  ['INSUFFICIENT_SCOPES', 'auth'],
]);

const listed = (body: JsonObject, refunds: readonly Json[], isPartial: boolean): Answer => {
  const facts = refunds
    .map((refund) => (isJsonObject(refund) ? squareRefundFacts(refund) : null))
    .filter((one): one is RefundFacts => one !== null);
  return { outcome: 'list', body, facts, isPartial };
};

/**
 * The answer of `GET /v2/refunds/{id}`, of `GET /v2/payments/{id}` (`payment.refund_ids`: ids alone) or of
 * `GET /v2/refunds` (one page; its refunds may be of other payments).
 */
export const squareAnswer = (body: JsonObject): Answer => {
  const refund = ownObject(body, 'refund');
  if (refund !== null) {
    const facts = squareRefundFacts(refund);
    if (facts === null) return refused('READBACK_MALFORMED', 'body.refund.id: was missing, should be the refund id');
    return { outcome: 'refund', body, facts };
  }
  const payment = ownObject(body, 'payment');
  if (payment !== null) {
    const paymentId = ownText(payment, 'id');
    const ids = ownList(payment, 'refund_ids')
      .map(textOf)
      .filter((id): id is string => id !== null);
    return { outcome: 'list', body, facts: ids.map((id) => squareRefundNamed(id, paymentId)), isPartial: false };
  }
  const refunds = own(body, 'refunds');
  if (Array.isArray(refunds)) return listed(body, refunds as readonly Json[], ownText(body, 'cursor') !== null);
  const code = squareErrorCode(body);
  if (code === 'NOT_FOUND') return { outcome: 'absent' };
  if (code !== null) return { outcome: 'error', kind: ERROR_KINDS.get(code) ?? 'server' };
  return refused('READBACK_MALFORMED', 'body: should hold refund, payment or refunds');
};

/** What RefundPayment answered: `{refund: {…}}`. */
export const squareAction = (result: JsonObject): ActionAnswer => {
  const refund = ownObject(result, 'refund');
  const code = refund === null ? squareErrorCode(result) : null;
  if (code !== null) return { outcome: 'error', kind: 'unknown', code };
  return { outcome: 'result', result, facts: refund === null ? null : squareRefundFacts(refund) };
};

/** `errors[0].code` */
export const squareErrorCode = (body: Json): string | null => ownText(ownList(body, 'errors')[0], 'code');
