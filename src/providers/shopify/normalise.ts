import type { JsonObject } from '../../evaluator/index.ts';
import type { DeliveryHeaders, Ignored, ProviderEvent, Refusal } from '../adapter.ts';
import { malformed } from '../adapter.ts';
import { own, ownText } from '../own.ts';
import { shopifyHint } from './delivery-headers.ts';
import { globalId } from './global-id.ts';
import { restRefundFacts } from './rest-refund.ts';

/** The WebhookSubscriptionTopic value of a topic header: `refunds/create` is REFUNDS_CREATE. */
const topicOf = (header: string): string => header.toUpperCase().replaceAll('/', '_');

/**
 * A Shopify webhook. The topic stands in a header alone. The event id is the Event-Id (one for each action of the merchant,
 * however many subscriptions it is delivered to), else the Webhook-Id (one for each delivery and its retries).
 */
export const shopifyEvent = (body: JsonObject, headers: DeliveryHeaders): ProviderEvent | Ignored | Refusal => {
  const topic = shopifyHint(headers, 'topic');
  if (topic === null) return malformed('headers.x-shopify-topic', undefined, 'the topic, e.g. "refunds/create"');
  const type = topicOf(topic);
  const eventId = shopifyHint(headers, 'event-id') ?? shopifyHint(headers, 'webhook-id') ?? '';
  // Outside the signature: good enough to tell a person, and never for what a refund is judged by.
  const occurredAt = shopifyHint(headers, 'triggered-at');
  const orderId = globalId('Order', own(body, 'order_id'));
  if (type === 'REFUNDS_CREATE') {
    const facts = restRefundFacts(body);
    if (facts === null) return malformed('admin_graphql_api_id', own(body, 'admin_graphql_api_id'), 'the refund gid');
    const { paymentId, updatedAt } = facts;
    return { outcome: 'event', eventId, type, role: 'refund', paymentId, facts: [facts], occurredAt: updatedAt };
  }
  if (type === 'DISPUTES_CREATE' || type === 'DISPUTES_UPDATE') {
    return { outcome: 'event', eventId, type, role: 'dispute', paymentId: orderId, facts: [], occurredAt };
  }
  // It names no refund, but tells that one of the order may have moved on.
  if (type === 'ORDER_TRANSACTIONS_CREATE' && ownText(body, 'kind')?.toLowerCase() === 'refund') {
    return { outcome: 'event', eventId, type, role: 'other', paymentId: orderId, facts: [], occurredAt };
  }
  return { outcome: 'ignored', reason: `events of topic ${type.slice(0, 100)} say nothing about refunds` };
};
