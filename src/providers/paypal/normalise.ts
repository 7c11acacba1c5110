import type { Json, JsonObject, RefundFacts } from '../../evaluator/index.ts';
import { isJsonObject } from '../../evaluator/index.ts';
import type { ActionAnswer, Answer, Ignored, ProviderEvent, Refusal } from '../adapter.ts';
import { malformed, refused } from '../adapter.ts';
import { own, ownList, ownObject, ownText } from '../own.ts';
import { paypalCaptureOf, paypalRefundFacts, paypalSelfCapture } from './refund-facts.ts';

/**
 * What an event is about, by its type alone. A reversal carries a refund-shaped resource that is COMPLETED, and is not the
 * merchant's refund (developer.paypal.com/api/rest/webhooks/event-names).
 */
const roleOf = (type: string): ProviderEvent['role'] | null => {
  switch (type) {
    case 'PAYMENT.CAPTURE.REFUNDED':
    case 'PAYMENT.REFUND.PENDING':
    case 'PAYMENT.REFUND.FAILED':
    case 'PAYMENT.SALE.REFUNDED':
      return 'refund';
    case 'PAYMENT.CAPTURE.REVERSED':
    case 'PAYMENT.SALE.REVERSED':
      return 'reversal';
    default:
      return type.startsWith('CUSTOMER.DISPUTE.') ? 'dispute' : null;
  }
};

/** The states that a refund can be in when an event of this type tells of it. */
const statesOf = (type: string): readonly RefundFacts['state'][] => {
  if (type === 'PAYMENT.REFUND.FAILED') return ['dead'];
  return type === 'PAYMENT.REFUND.PENDING' ? ['pending'] : ['complete', 'pending'];
};

/**
 * An event that says FAILED or PENDING in its type alone still says it. One whose type and resource disagree says neither:
 * only a read can tell which of them is right.
 */
const withTypeState = (facts: RefundFacts, type: string): RefundFacts => {
  if (facts.status !== null) return statesOf(type).includes(facts.state) ? facts : { ...facts, state: 'unknown' };
  if (type === 'PAYMENT.REFUND.FAILED') return { ...facts, status: 'FAILED', state: 'dead' };
  if (type === 'PAYMENT.REFUND.PENDING') return { ...facts, status: 'PENDING', state: 'pending' };
  return facts;
};

const disputedCapture = (dispute: JsonObject): string | null => {
  for (const transaction of ownList(dispute, 'disputed_transactions')) {
    const capture = ownText(transaction, 'seller_transaction_id');
    if (capture !== null) return capture;
  }
  return null;
};

/** A PayPal webhook. */
export const paypalEvent = (body: JsonObject): ProviderEvent | Ignored | Refusal => {
  const type = ownText(body, 'event_type');
  if (type === null) {
    return malformed('event_type', own(body, 'event_type'), 'the event type, e.g. "PAYMENT.CAPTURE.REFUNDED"');
  }
  const role = roleOf(type);
  if (role === null) return { outcome: 'ignored', reason: `events of type ${type} say nothing about refunds` };
  const resource = ownObject(body, 'resource');
  if (resource === null) return malformed('resource', own(body, 'resource'), 'the resource');
  const eventId = ownText(body, 'id') ?? '';
  const occurredAt = ownText(body, 'create_time');
  if (role === 'dispute') {
    return { outcome: 'event', eventId, type, role, paymentId: disputedCapture(resource), facts: [], occurredAt };
  }
  const capture = paypalCaptureOf(resource);
  if (role === 'reversal') {
    // Some reversals carry the capture itself.
    const facts = capture === null ? null : paypalRefundFacts(resource);
    const paymentId = capture ?? paypalSelfCapture(resource) ?? ownText(resource, 'id');
    return { outcome: 'event', eventId, type, role, paymentId, facts: facts === null ? [] : [facts], occurredAt };
  }
  const facts = paypalRefundFacts(resource);
  if (facts === null) return malformed('resource.id', own(resource, 'id'), 'the id of the refund');
  return { outcome: 'event', eventId, type, role, paymentId: capture, facts: [withTypeState(facts, type)], occurredAt };
};

const refundsOfOrder = (units: readonly Json[]): readonly RefundFacts[] => {
  const facts: RefundFacts[] = [];
  for (const unit of units) {
    for (const refund of ownList(ownObject(unit, 'payments') ?? undefined, 'refunds')) {
      const one = isJsonObject(refund) ? paypalRefundFacts(refund) : null;
      if (one !== null) facts.push(one);
    }
  }
  return facts;
};

/**
 * The answer of `GET /v2/payments/refunds/{id}`, or of `GET /v2/checkout/orders/{id}`: Payments v2 has no call that lists a
 * capture's refunds, the order has (`purchase_units[].payments.refunds[]`).
 */
export const paypalAnswer = (body: JsonObject, reads: 'refund' | 'payment'): Answer => {
  const units = own(body, 'purchase_units');
  if (Array.isArray(units)) {
    return { outcome: 'list', body, facts: refundsOfOrder(units as readonly Json[]), isPartial: false };
  }
  if (reads === 'payment') {
    return refused('READBACK_MALFORMED', 'body.purchase_units: was missing, should list the refunds of the order');
  }
  const facts = paypalRefundFacts(body);
  if (facts === null) return refused('READBACK_MALFORMED', 'body.id: was missing, should be the refund id');
  return { outcome: 'refund', body, facts };
};

/** What the refund call answered: the refund, with `Prefer: return=minimal` no more than id, status and links. */
export const paypalAction = (result: JsonObject): ActionAnswer => {
  const facts = paypalRefundFacts(result);
  const code = facts === null ? paypalErrorCode(result) : null;
  return code === null ? { outcome: 'result', result, facts } : { outcome: 'error', kind: 'unknown', code };
};

/** `details[0].issue`, else `name` */
export const paypalErrorCode = (body: Json): string | null =>
  ownText(ownList(body, 'details')[0], 'issue') ?? ownText(body, 'name');
