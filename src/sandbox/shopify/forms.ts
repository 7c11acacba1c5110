import type { JsonObject } from '../../evaluator/index.ts';
import { completedMinor, type Payment, type Refund, refundedMinor, visibleRefunds } from '../model.ts';
import { decimalOf } from '../money.ts';

/** Shopify prints `"10.0"` for ten dollars. */
const amountOf = (minor: bigint, currency: string): string => {
  const text = decimalOf(minor, currency, 'shopify');
  return text.includes('.') ? text.replace(/(\.\d+?)0+$/, '$1') : `${text}.0`;
};

const bag = (minor: bigint, currency: string): JsonObject => {
  const money = { amount: amountOf(minor, currency), currencyCode: currency };
  return { shopMoney: money, presentmentMoney: money };
};

export const printTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

/** The last part of a global id. */
export const numberOf = (id: string): string => id.slice(id.lastIndexOf('/') + 1);

export const saleIdOf = (payment: Payment): string =>
  `gid://shopify/OrderTransaction/6${numberOf(payment.id).slice(1)}`;

export const transactionIdOf = (refund: Refund): string => `gid://shopify/OrderTransaction/7${numberOf(refund.id)}`;

export const TRANSACTION_STATUS = {
  pending: 'PENDING',
  completed: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'ERROR',
} as const;

const GATEWAY = 'shopify_payments';

const sale = (payment: Payment): object => ({
  __typename: 'OrderTransaction',
  id: saleIdOf(payment),
  kind: 'SALE',
  status: 'SUCCESS',
  gateway: GATEWAY,
  amountSet: bag(payment.minor, payment.currency),
  parentTransaction: null,
  createdAt: printTime(payment.createdAt),
  processedAt: printTime(payment.createdAt),
  errorCode: null,
  test: true,
});

const transactionOf = (refund: Refund): object => {
  const { payment, minor, state, createdAt } = refund;
  return {
    __typename: 'OrderTransaction',
    id: transactionIdOf(refund),
    kind: 'REFUND',
    status: TRANSACTION_STATUS[state],
    gateway: GATEWAY,
    amountSet: bag(minor, payment.currency),
    parentTransaction: () => sale(payment),
    createdAt: printTime(createdAt),
    processedAt: printTime(createdAt),
    errorCode: state === 'failed' ? 'GENERIC_ERROR' : null,
    test: true,
  };
};

interface Page {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
}

/** A refund of the sandbox has one transaction: there is nothing behind it. */
const transactions = (refund: Refund, { after }: Page): object => {
  const nodes = after === undefined || after === null ? [transactionOf(refund)] : [];
  const cursor = Buffer.from(refund.id).toString('base64');
  return {
    nodes,
    edges: nodes.map((node) => ({ cursor, node })),
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: cursor, endCursor: cursor },
  };
};

/** A Refund, for a query to take from. It exists however its transaction stands. */
export const refundNode = (refund: Refund, now: () => number): object => {
  const { payment, minor, state, createdAt, updatedAt, details } = refund;
  return {
    __typename: 'Refund',
    id: refund.id,
    legacyResourceId: numberOf(refund.id),
    createdAt: printTime(createdAt),
    updatedAt: printTime(updatedAt),
    note: details['note'] ?? null,
    // Counts successes alone.
    totalRefundedSet: bag(state === 'completed' ? minor : 0n, payment.currency),
    order: () => orderNode(payment, now),
    transactions: (page: Page) => transactions(refund, page),
  };
};

const financialStatus = (payment: Payment): string => {
  const refunded = refundedMinor(payment);
  if (refunded === 0n) return 'PAID';
  return refunded === payment.minor ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
};

/** An Order, for a query to take from, with the refunds that are to be seen by now. */
export const orderNode = (payment: Payment, now: () => number): object => ({
  __typename: 'Order',
  id: payment.id,
  legacyResourceId: numberOf(payment.id),
  name: `#${numberOf(payment.id).slice(-4)}`,
  createdAt: printTime(payment.createdAt),
  currencyCode: payment.currency,
  displayFinancialStatus: financialStatus(payment),
  totalPriceSet: bag(payment.minor, payment.currency),
  totalRefundedSet: bag(completedMinor(payment), payment.currency),
  refunds: ({ first }: Page) => {
    const seen = visibleRefunds(payment, now());
    return seen.slice(0, first ?? seen.length).map((refund) => refundNode(refund, now));
  },
  transactions: () => [sale(payment), ...visibleRefunds(payment, now()).map(transactionOf)],
});
