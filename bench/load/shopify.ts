import { decimal, isoSeconds, type LoadRefund, type ProviderLoad, type Status } from './provider-load.ts';

const STATUS = { settled: 'SUCCESS', pending: 'PENDING', failed: 'FAILURE' } as const;

const digitsOf = (gid: string): string => gid.slice(gid.lastIndexOf('/') + 1);
const bag = (amount: string): object => ({
  shopMoney: { amount, currencyCode: 'USD' },
  presentmentMoney: { amount, currencyCode: 'USD' },
});

/** GraphQL's answer of the `refund` query. */
const resource = (refund: LoadRefund, status: Status, updatedAt: number): object => {
  const amount = decimal(refund.minor).replace(/0$/, '');
  return {
    id: refund.id,
    createdAt: isoSeconds(refund.createdAt),
    updatedAt: isoSeconds(updatedAt),
    note: null,
    totalRefundedSet: bag(status === 'settled' ? amount : '0.0'),
    order: { id: refund.payment },
    transactions: {
      nodes: [
        {
          id: `gid://shopify/OrderTransaction/${digitsOf(refund.id)}`,
          kind: 'REFUND',
          status: STATUS[status],
          gateway: 'shopify_payments',
          amountSet: bag(amount),
          parentTransaction: { id: `gid://shopify/OrderTransaction/${digitsOf(refund.payment)}` },
        },
      ],
    },
  };
};

/** The REST form that webhooks have, with a line item; ids are numbers of 18 digits, as the documentation prints them. */
const webhookBody = (refund: LoadRefund, status: Status): string => {
  const [id, order, amount] = [digitsOf(refund.id), digitsOf(refund.payment), decimal(refund.minor)];
  const at = isoSeconds(refund.createdAt).replace('Z', '+00:00');
  const set = `{"shop_money":{"amount":"${amount}","currency_code":"USD"},"presentment_money":{"amount":"${amount}","currency_code":"USD"}}`;
  const none = set.replaceAll(amount, '0.00');
  const item = `{"id":${order},"variant_id":null,"title":"Coffee table","quantity":1,"sku":"SKU2006-035","variant_title":null,"vendor":null,"fulfillment_service":"manual","product_id":788032119674292922,"requires_shipping":true,"taxable":true,"gift_card":false,"name":"Coffee table","variant_inventory_management":null,"properties":[],"product_exists":true,"fulfillable_quantity":1,"grams":500,"price":"${amount}","total_discount":"0.00","fulfillment_status":null,"price_set":${set},"total_discount_set":${none},"discount_allocations":[],"duties":[],"admin_graphql_api_id":"gid://shopify/LineItem/${order}","tax_lines":[]}`;
  const line = `{"id":${id},"quantity":1,"line_item_id":${order},"location_id":null,"restock_type":"no_restock","subtotal":${refund.minor / 100},"total_tax":0.0,"subtotal_set":${set},"total_tax_set":${none},"line_item":${item}}`;
  const transaction = `{"id":${id},"order_id":${order},"kind":"refund","gateway":"shopify_payments","status":"${STATUS[status].toLowerCase()}","message":"Transaction approved","created_at":"${at}","test":false,"authorization":null,"location_id":null,"user_id":null,"parent_id":${order},"processed_at":"${at}","device_id":null,"error_code":null,"source_name":"web","receipt":{},"amount":"${amount}","currency":"USD","payment_id":"#1001.1","admin_graphql_api_id":"gid://shopify/OrderTransaction/${id}"}`;
  return `{"id":${id},"order_id":${order},"created_at":"${at}","note":null,"user_id":548380009,"processed_at":"${at}","restock":false,"duties":[],"total_duties_set":${none},"return":null,"refund_shipping_lines":[],"admin_graphql_api_id":"${refund.id}","refund_line_items":[${line}],"transactions":[${transaction}],"order_adjustments":[]}`;
};

export const shopifyLoad: ProviderLoad = {
  provider: 'shopify',
  account: 'merchant-3',
  contract: 'shopify.refund.financially_completed',
  paymentId: (random) => `gid://shopify/Order/${random.digits(18)}`,
  refundId: (random) => `gid://shopify/Refund/${random.digits(18)}`,
  input: (payment, minor) => ({ order_id: payment, amount: decimal(minor), currency_code: 'USD' }),
  result: (refund) => ({ refundCreate: { refund: { id: refund.id, order: { id: refund.payment } }, userErrors: [] } }),
  readback: (refund, status, updatedAt) => JSON.stringify({ data: { refund: resource(refund, status, updatedAt) } }),
  webhook: (refund, status, updatedAt, eventId) => ({
    headers: {
      'x-shopify-topic': 'refunds/create',
      'x-shopify-shop-domain': 'merchant-3.myshopify.com',
      'x-shopify-api-version': '2026-07',
      'x-shopify-event-id': eventId,
      'x-shopify-webhook-id': eventId,
      'x-shopify-triggered-at': isoSeconds(updatedAt),
      'x-shopify-hmac-sha256': 'yXWHuJz0K2rm3pN4oU5iT6sQ7vE8wB9xC0zD1aF2gH4=',
    },
    body: webhookBody(refund, status),
  }),
};
