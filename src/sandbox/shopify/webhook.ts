import type { JsonObject } from '../../evaluator/index.ts';
import type { Draw } from '../draw.ts';
import type { Change, Refund } from '../model.ts';
import { decimalOf } from '../money.ts';
import type { NewEvent } from '../stand.ts';
import { numberOf, saleIdOf, TRANSACTION_STATUS, transactionIdOf } from './forms.ts';

const printTime = (ms: number): string => `${new Date(ms - 4 * 3_600_000).toISOString().slice(0, 19)}-04:00`;

/** REST prints ids as numbers, which may be larger than a double holds. */
const restId = (id: string): number | bigint => {
  const number = BigInt(numberOf(id));
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : number;
};

const zero = (currency: string): JsonObject => {
  const money = { amount: '0.00', currency_code: currency };
  return { shop_money: money, presentment_money: money };
};

const transactionOf = (refund: Refund): JsonObject => {
  const { payment, minor, state, createdAt } = refund;
  const id = transactionIdOf(refund);
  return {
    id: restId(id),
    order_id: restId(payment.id),
    kind: 'refund',
    gateway: 'shopify_payments',
    status: TRANSACTION_STATUS[state].toLowerCase(),
    message: null,
    created_at: printTime(createdAt),
    processed_at: printTime(createdAt),
    test: true,
    parent_id: restId(saleIdOf(payment)),
    amount: decimalOf(minor, payment.currency, 'shopify'),
    currency: payment.currency,
    total_unsettled_set: zero('XXX'),
    admin_graphql_api_id: id,
  };
};

const restRefund = (refund: Refund): JsonObject => {
  const { id, payment, createdAt, details } = refund;
  return {
    id: restId(id),
    order_id: restId(payment.id),
    created_at: printTime(createdAt),
    note: details['note'] ?? null,
    user_id: null,
    processed_at: printTime(createdAt),
    restock: false,
    duties: [],
    total_duties_set: zero(payment.currency),
    return: null,
    refund_shipping_lines: [],
    refund_line_items: [],
    transactions: [transactionOf(refund)],
    order_adjustments: [],
    admin_graphql_api_id: id,
  };
};

/**
 * `refunds/create` when a refund is made, `order_transactions/create` when its transaction moves on: there is no topic for a
 * refund that changes.
 */
export const shopifyEvents = (change: Change, draw: Draw): readonly NewEvent[] => {
  const eventOf = (type: string, about: string, body: JsonObject): NewEvent => ({
    id: draw.uuid(`event/shopify/${about}/${type}`),
    type,
    body,
  });
  if (change.kind === 'payment_reversed') {
    const { payment, at } = change;
    const id = Number(draw.digits(`dispute/shopify/${payment.id}`, 10));
    const amount = decimalOf(payment.minor, payment.currency, 'shopify');
    const body = {
      id,
      order_id: restId(payment.id),
      type: 'chargeback',
      amount,
      currency: payment.currency,
      reason: 'general',
    };
    return [eventOf('disputes/create', payment.id, { ...body, status: 'needs_response', initiated_at: printTime(at) })];
  }
  const { refund, kind } = change;
  if (kind === 'refund_created') return [eventOf('refunds/create', refund.id, restRefund(refund))];
  return [eventOf('order_transactions/create', `${refund.id}/${refund.version}`, transactionOf(refund))];
};
