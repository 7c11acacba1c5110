import type { Json, JsonObject, RefundFacts } from '../../evaluator/index.ts';
import type { ActionAnswer, Answer, Ignored, ProviderEvent, Refusal } from '../adapter.ts';
import { malformed, refused } from '../adapter.ts';
import { own, ownObject, ownText } from '../own.ts';
import { expandableId, printUnixSeconds, stripeListFacts, stripeRefundFacts } from './refund-facts.ts';

const REFUND_TYPES: ReadonlySet<string> = new Set([
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.refund.updated',
]);

/**
 * A Stripe webhook. Routed on `type` alone: `refund.*` and `charge.refund.updated` carry a refund; `charge.refunded` carries
 * the charge, whose `amount_refunded` is cumulative and no refund's, so only the refunds it lists are facts.
 */
export const stripeEvent = (body: JsonObject): ProviderEvent | Ignored | Refusal => {
  const type = ownText(body, 'type');
  if (type === null) return malformed('type', own(body, 'type'), 'the event type, e.g. "refund.updated"');
  const isRefund = REFUND_TYPES.has(type);
  const isCharge = type === 'charge.refunded';
  if (!isRefund && !isCharge && !type.startsWith('charge.dispute.')) {
    return { outcome: 'ignored', reason: `events of type ${type} say nothing about refunds` };
  }
  const object = ownObject(ownObject(body, 'data') ?? undefined, 'object');
  if (object === null) return malformed('data.object', undefined, 'the resource');
  const eventId = ownText(body, 'id') ?? '';
  const occurredAt = printUnixSeconds(own(body, 'created'));
  if (isRefund) {
    const facts = stripeRefundFacts(object, occurredAt);
    if (facts === null) return malformed('data.object.id', own(object, 'id'), 'the id of the refund');
    return { outcome: 'event', eventId, type, role: 'refund', paymentId: facts.paymentId, facts: [facts], occurredAt };
  }
  if (!isCharge) {
    const paymentId = expandableId(own(object, 'charge'));
    return { outcome: 'event', eventId, type, role: 'dispute', paymentId, facts: [], occurredAt };
  }
  const paymentId = ownText(object, 'id');
  const list = ownObject(object, 'refunds');
  const facts = list === null ? [] : stripeListFacts(list, occurredAt);
  const role = facts.length > 0 ? 'refund' : 'other';
  return { outcome: 'event', eventId, type, role, paymentId, facts, occurredAt };
};

const isPartialPage = (list: JsonObject): boolean => own(list, 'has_more') === true;

/** The answer of `GET /v1/refunds/{id}`, of `GET /v1/refunds?charge=…` (one page) or of a charge that lists its refunds. */
export const stripeAnswer = (body: JsonObject, reads: 'refund' | 'payment'): Answer => {
  if (Array.isArray(own(body, 'data'))) {
    return { outcome: 'list', body, facts: stripeListFacts(body, null), isPartial: isPartialPage(body) };
  }
  const object = ownText(body, 'object');
  if (object === 'charge' || (object === null && reads === 'payment')) {
    const list = ownObject(body, 'refunds');
    if (list === null) return refused('READBACK_MALFORMED', 'body.refunds: was missing, should list the refunds');
    return { outcome: 'list', body, facts: stripeListFacts(list, null), isPartial: isPartialPage(list) };
  }
  if (object !== null && object !== 'refund') {
    return refused('READBACK_MALFORMED', `body.object: was ${JSON.stringify(object)}, should be "refund" or "list"`);
  }
  const facts = stripeRefundFacts(body, null);
  if (facts === null) return refused('READBACK_MALFORMED', 'body.id: was missing, should be the refund id');
  return { outcome: 'refund', body: readable(body, facts), facts };
};

/**
 * A refund as contract paths read it: `created` (unix seconds) as the instant it prints, and `charge` (which a query may have
 * expanded) as the id.
 */
const readable = (refund: JsonObject, facts: RefundFacts): JsonObject => {
  const created = facts.createdAt ?? own(refund, 'created');
  const charge = facts.paymentId ?? own(refund, 'charge');
  return { ...refund, ...(created === undefined ? {} : { created }), ...(charge === undefined ? {} : { charge }) };
};

/** What `POST /v1/refunds` answered: the refund itself. */
export const stripeAction = (result: JsonObject): ActionAnswer => {
  const code = ownObject(result, 'error') === null ? null : stripeErrorCode(result);
  if (code !== null) return { outcome: 'error', kind: 'unknown', code };
  return { outcome: 'result', result, facts: stripeRefundFacts(result, null) };
};

/** `error.code`, else `error.type` */
export const stripeErrorCode = (body: Json): string | null => {
  const error = own(body, 'error');
  return ownText(error, 'code') ?? ownText(error, 'type');
};
