import { createHmac } from 'node:crypto';
import { decimal, isoSeconds, type Kit, type Refund } from './kit.ts';
import { seededDigits, seededMixed } from './seeded.ts';

export const SHOPIFY_SECRET = 'demo-shopify-app-secret';
export const SHOPIFY_SHOP = 'demo-garden.myshopify.com';

const STATUS = { settled: 'SUCCESS', pending: 'PENDING', failed: 'FAILURE' } as const;

const number = (gid: string): string => gid.slice(gid.lastIndexOf('/') + 1);
const gid = (type: string, digits: string): string => `gid://shopify/${type}/${digits}`;
const money = (amount: string, currency: string): object => ({
  shopMoney: { amount, currencyCode: currency },
  presentmentMoney: { amount, currencyCode: currency },
});

/** GraphQL's answer of the `refund` query. */
const resource = (refund: Refund): object => {
  const amount = decimal(refund.minor).replace(/0$/, '');
  return {
    id: refund.id,
    createdAt: isoSeconds(refund.createdAt),
    updatedAt: isoSeconds(refund.updatedAt),
    note: null,
    totalRefundedSet: money(refund.status === 'settled' ? amount : '0.0', refund.currency),
    order: { id: refund.payment },
    transactions: {
      nodes: [
        {
          id: gid('OrderTransaction', seededDigits(`shopify transaction ${refund.id}`, 14)),
          kind: 'REFUND',
          status: STATUS[refund.status],
          gateway: 'shopify_payments',
          amountSet: money(amount, refund.currency),
        },
      ],
    },
  };
};

/** The REST form that webhooks have; ids are written as numbers, whatever their length. */
const webhookBody = (refund: Refund): string => {
  const transaction = seededDigits(`shopify transaction ${refund.id}`, 14);
  const text = JSON.stringify({
    id: '#refund#',
    order_id: '#order#',
    created_at: isoSeconds(refund.createdAt).replace('Z', '+00:00'),
    note: null,
    processed_at: isoSeconds(refund.createdAt).replace('Z', '+00:00'),
    restock: true,
    refund_line_items: [],
    transactions: [
      {
        id: '#transaction#',
        order_id: '#order#',
        kind: 'refund',
        gateway: 'shopify_payments',
        status: STATUS[refund.status].toLowerCase(),
        amount: decimal(refund.minor),
        currency: refund.currency,
        test: false,
        admin_graphql_api_id: gid('OrderTransaction', transaction),
      },
    ],
    admin_graphql_api_id: refund.id,
  });
  return text
    .replaceAll('"#refund#"', number(refund.id))
    .replaceAll('"#order#"', number(refund.payment))
    .replaceAll('"#transaction#"', transaction);
};

export const shopifyKit: Kit = {
  provider: 'shopify',
  account: 'garden-store',
  contract: 'shopify.refund.financially_completed',
  paymentId: (name) => gid('Order', seededDigits(`shopify order ${name}`, 13)),
  // Longer than a double can hold, as some of Shopify's own are.
  refundId: (name) => gid('Refund', seededDigits(`shopify refund ${name}`, 18)),
  input: (payment, minor, currency) => ({ order_id: payment, amount: decimal(minor), currency_code: currency }),
  result: (refund) => ({ refundCreate: { refund: { id: refund.id, order: { id: refund.payment } }, userErrors: [] } }),
  readback: (refund) => JSON.stringify({ data: { refund: resource(refund) } }),
  deliver: (refund, event) => {
    const body = webhookBody(refund);
    return {
      body,
      headers: {
        'x-shopify-topic': 'refunds/create',
        'x-shopify-shop-domain': SHOPIFY_SHOP,
        'x-shopify-event-id': seededMixed(`shopify event ${event}`, 26),
        'x-shopify-webhook-id': seededMixed(`shopify webhook ${event}`, 26),
        'x-shopify-hmac-sha256': createHmac('sha256', SHOPIFY_SECRET).update(body).digest('base64'),
      },
    };
  },
};
