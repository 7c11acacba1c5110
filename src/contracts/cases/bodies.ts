import type { ProviderName } from '../../evaluator/contract.ts';
import { sumDecimals } from '../../evaluator/decimal.ts';
import { printInstant } from '../../evaluator/instant.ts';
import type { Json, JsonObject } from '../../evaluator/json.ts';

/** A refund as a case tells it, every part settled. Instants are milliseconds. */
export interface ToldRefund {
  readonly id: string;
  readonly status: string;
  readonly amount: string | number | bigint;
  readonly currency: string;
  readonly payment: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly echo: string | null;
  readonly transactions: readonly { readonly status: string; readonly amount: string; readonly kind: string }[];
  readonly otherMoney: { readonly amount: string; readonly currency: string } | null;
  readonly extra: JsonObject;
}

export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly occurredMs: number;
}

/** How one provider prints what a case tells. The forms are those of the provider's public documentation. */
export interface ProviderBodies {
  readonly payment: string;
  refundId(name: string): string;
  /** what the API answers for the refund */
  read(refund: ToldRefund): JsonObject;
  /** what the action answered */
  result(refund: ToldRefund): JsonObject;
  event(
    event: ToldEvent,
    refund: ToldRefund,
  ): { readonly headers: Readonly<Record<string, string>>; readonly body: JsonObject };
  list(payment: string, refunds: readonly ToldRefund[]): JsonObject;
}

/** `2026-09-01T12:00:00Z`: PayPal, Shopify and Stripe print whole seconds. */
const seconds = (ms: number): string => `${printInstant(ms).slice(0, 19)}Z`;

const paypalRefund = (refund: ToldRefund): JsonObject => ({
  id: refund.id,
  status: refund.status,
  amount: { value: String(refund.amount), currency_code: refund.currency },
  create_time: seconds(refund.createdMs),
  update_time: seconds(refund.updatedMs),
  ...(refund.echo === null ? {} : { custom_id: refund.echo }),
  links: [
    { rel: 'self', method: 'GET', href: `https://api.paypal.com/v2/payments/refunds/${refund.id}` },
    ...(refund.payment === null
      ? []
      : [{ rel: 'up', method: 'GET', href: `https://api.paypal.com/v2/payments/captures/${refund.payment}` }]),
  ],
  ...refund.extra,
});

const paypal: ProviderBodies = {
  payment: '3C679366HH908993R',
  refundId: (name) => name,
  read: paypalRefund,
  result: paypalRefund,
  event: (event, refund) => ({
    headers: {},
    body: {
      id: event.id,
      event_type: event.type,
      event_version: '1.0',
      resource_type: 'refund',
      resource_version: '2.0',
      create_time: printInstant(event.occurredMs),
      resource: paypalRefund(refund),
    },
  }),
  list: (payment, refunds) => ({
    id: '5O190127TN364715T',
    purchase_units: [
      { payments: { captures: [{ id: payment, status: 'COMPLETED' }], refunds: refunds.map(paypalRefund) } },
    ],
  }),
};

/** An integer with every digit: a double holds 15 of them for sure. */
export const wholeNumber = (text: string): number | bigint => (text.length > 15 ? BigInt(text) : Number(text));

const squareRefund = (refund: ToldRefund): JsonObject => ({
  id: refund.id,
  status: refund.status,
  amount_money: { amount: wholeNumber(String(refund.amount)), currency: refund.currency },
  ...(refund.payment === null ? {} : { payment_id: refund.payment }),
  created_at: printInstant(refund.createdMs),
  updated_at: printInstant(refund.updatedMs),
  ...(refund.echo === null ? {} : { reason: refund.echo }),
  ...refund.extra,
});

const square: ProviderBodies = {
  payment: 'KkAkhdMsgzn59SM8A89WgKwekxLZY',
  refundId: (name) => name,
  read: (refund) => ({ refund: squareRefund(refund) }),
  result: (refund) => ({ refund: squareRefund(refund) }),
  event: (event, refund) => ({
    headers: {},
    body: {
      merchant_id: 'ML8M1AQ1GQG2K',
      type: event.type,
      event_id: event.id,
      created_at: printInstant(event.occurredMs),
      data: { type: 'refund', id: refund.id, object: { refund: squareRefund(refund) } },
    },
  }),
  list: (payment, refunds) => ({
    payment: { id: payment, status: 'COMPLETED', refund_ids: refunds.map(({ id }) => id) },
  }),
};

const number = (gid: string): string => gid.slice(gid.lastIndexOf('/') + 1);

const money = (amount: string, currency: string): JsonObject => ({ amount, currencyCode: currency });

const bag = (amount: string, refund: ToldRefund): JsonObject => {
  const other = refund.otherMoney;
  return {
    shopMoney: money(amount, refund.currency),
    presentmentMoney: other === null ? money(amount, refund.currency) : money(other.amount, other.currency),
  };
};

const shopifyRefund = (refund: ToldRefund): JsonObject => {
  const isSuccess = ({ status, kind }: { status: string; kind: string }): boolean =>
    status === 'SUCCESS' && kind === 'REFUND';
  const total = sumDecimals(refund.transactions.filter(isSuccess).map(({ amount }) => amount)) ?? '0';
  return {
    id: refund.id,
    createdAt: seconds(refund.createdMs),
    updatedAt: seconds(refund.updatedMs),
    note: refund.echo,
    totalRefundedSet: bag(total, refund),
    order: { id: refund.payment },
    transactions: {
      nodes: refund.transactions.map(({ status, amount, kind }, index) => ({
        id: `gid://shopify/OrderTransaction/${number(refund.id)}${index}`,
        kind,
        status,
        gateway: 'shopify_payments',
        amountSet: bag(amount, refund),
      })),
    },
    ...refund.extra,
  };
};

const shopify: ProviderBodies = {
  payment: 'gid://shopify/Order/450789469',
  refundId: (name) => `gid://shopify/Refund/${name.replace(/\D/g, '').padStart(3, '9')}`,
  read: (refund) => ({ data: { refund: shopifyRefund(refund) } }),
  result: (refund) => ({ refundCreate: { userErrors: [], refund: { id: refund.id } } }),
  event: (event, refund) => ({
    headers: {
      'x-shopify-topic': event.type.toLowerCase().replace('_', '/'),
      'x-shopify-event-id': event.id,
      'x-shopify-webhook-id': `webhook-${event.id}`,
      'x-shopify-triggered-at': printInstant(event.occurredMs),
    },
    body: {
      id: wholeNumber(number(refund.id)),
      order_id: wholeNumber(number(refund.payment ?? '/0')),
      created_at: seconds(refund.createdMs),
      processed_at: seconds(refund.createdMs),
      note: refund.echo,
      admin_graphql_api_id: refund.id,
      transactions: refund.transactions.map(({ status, amount, kind }) => ({
        kind: kind.toLowerCase(),
        status: status.toLowerCase(),
        amount,
        currency: refund.currency,
      })),
    },
  }),
  list: (payment, refunds) => ({
    data: { order: { id: payment, refunds: refunds.map(shopifyRefund) } },
  }),
};

const unix = (ms: number): number => Math.floor(ms / 1000);

const stripeRefund = (refund: ToldRefund): JsonObject => ({
  id: refund.id,
  object: 'refund',
  status: refund.status,
  amount: wholeNumber(String(refund.amount)),
  currency: refund.currency.toLowerCase(),
  charge: refund.payment,
  created: unix(refund.createdMs),
  metadata: refund.echo === null ? {} : { idempotency_key: refund.echo },
  ...refund.extra,
});

const stripe: ProviderBodies = {
  payment: 'ch_3MmlLrLkdIwHu7ix0snN0B15',
  refundId: (name) => name,
  read: stripeRefund,
  result: stripeRefund,
  event: (event, refund) => ({
    headers: {},
    body: {
      id: event.id,
      object: 'event',
      type: event.type,
      created: unix(event.occurredMs),
      data: { object: stripeRefund(refund) },
    },
  }),
  list: (_payment, refunds) => ({
    object: 'list',
    has_more: false,
    data: refunds.map((refund): Json => stripeRefund(refund)),
  }),
};

export const PROVIDER_BODIES: Readonly<Record<ProviderName, ProviderBodies>> = { paypal, square, shopify, stripe };
