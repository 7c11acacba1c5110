import { createHmac } from 'node:crypto';
import type { Delivery } from '../../src/providers/adapter.ts';
import type { Endpoint, Secret } from '../../src/providers/index.ts';

/** Noon of the day on which deliveries arrive. */
export const RECEIVED = Date.parse('2026-09-01T12:00:04.350Z');

export const secret = (value: string, from?: string, to?: string): Secret => ({
  value,
  fromMs: from === undefined ? null : Date.parse(from),
  toMs: to === undefined ? null : Date.parse(to),
});

export const hmac = (key: string, text: string, encoding: 'base64' | 'hex'): string =>
  createHmac('sha256', key).update(text).digest(encoding);

export const delivery = (raw: Delivery['raw'], headers: Record<string, string>, receivedAt = RECEIVED): Delivery => ({
  raw,
  headers,
  receivedAt,
  certificates: [],
});

const base = { account: 'merchant-1', accountField: null, endpoint: 'default' };

export const squareEndpoint = (
  keys: readonly Secret[] = [secret('square-key')],
): Endpoint & { provider: 'square' } => ({
  provider: 'square',
  ...base,
  signatureKeys: keys,
  notificationUrl: 'https://pay.example/webhooks/square/default',
  merchantId: null,
});

export const shopifyEndpoint = (
  keys: readonly Secret[] = [secret('app-secret')],
): Endpoint & { provider: 'shopify' } => ({
  provider: 'shopify',
  ...base,
  secrets: keys,
  shopDomain: null,
});

export const stripeEndpoint = (keys: readonly Secret[] = [secret('whsec_1')]): Endpoint & { provider: 'stripe' } => ({
  provider: 'stripe',
  ...base,
  secrets: keys,
  toleranceSeconds: 300,
  connectedAccount: null,
});

export const squareHeaders = (body: string, key = 'square-key'): Record<string, string> => ({
  'X-Square-HmacSha256-Signature': hmac(key, `https://pay.example/webhooks/square/default${body}`, 'base64'),
});

export const shopifyHeaders = (body: string, key = 'app-secret'): Record<string, string> => ({
  'X-Shopify-Topic': 'refunds/create',
  'X-Shopify-Hmac-Sha256': hmac(key, body, 'base64'),
  'X-Shopify-Shop-Domain': 'example.myshopify.com',
  'X-Shopify-Event-Id': 'event-1',
  'X-Shopify-Webhook-Id': 'delivery-1',
  'X-Shopify-Triggered-At': '2026-09-01T12:00:03.000000000Z',
});

export const stripeHeaders = (body: string, key = 'whsec_1', seconds = Math.floor(RECEIVED / 1000)) => ({
  'Stripe-Signature': `t=${seconds},v1=${hmac(key, `${seconds}.${body}`, 'hex')}`,
});

export const squareBody = (refund: Record<string, unknown> = {}, envelope: Record<string, unknown> = {}): string =>
  JSON.stringify({
    merchant_id: 'M1',
    type: 'refund.updated',
    event_id: 'e-1',
    created_at: '2026-09-01T12:00:03.1Z',
    data: {
      type: 'refund',
      id: 'pay1_r1',
      object: {
        refund: {
          id: 'pay1_r1',
          payment_id: 'pay1',
          amount_money: { amount: 1000, currency: 'USD' },
          status: 'COMPLETED',
          version: 10,
          reason: 'op-1',
          created_at: '2026-09-01T12:00:01.5Z',
          updated_at: '2026-09-01T12:00:03.0Z',
          ...refund,
        },
      },
    },
    ...envelope,
  });

export const stripeBody = (refund: Record<string, unknown> = {}, envelope: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'refund.updated',
    created: 1788264003,
    data: {
      object: {
        id: 're_1',
        object: 'refund',
        amount: 1000,
        currency: 'usd',
        charge: 'ch_1',
        created: 1788264001,
        status: 'succeeded',
        reason: 'requested_by_customer',
        metadata: { operation_id: 'op-1' },
        ...refund,
      },
    },
    ...envelope,
  });
