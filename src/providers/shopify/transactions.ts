import { sumDecimals } from '../../evaluator/decimal.ts';
import type { RefundFacts } from '../../evaluator/index.ts';

/** One transaction of a refund, REST or GraphQL, in GraphQL's words (upper case). */
export interface RefundTransaction {
  /** null: the query did not ask, which of a refund's transactions means REFUND */
  readonly kind: string | null;
  readonly status: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
}

type Money = Pick<RefundFacts, 'amount' | 'currency'>;

/** What a refund's transactions come to. */
export interface Movement extends Money {
  /** the status word that decides `state` */
  readonly status: string | null;
  readonly state: RefundFacts['state'];
}

type Standing = 'pending' | 'complete' | 'dead' | 'unknown';

const standingOf = (status: string | null): Standing => {
  switch (status) {
    case 'SUCCESS':
      return 'complete';
    case 'PENDING':
    case 'AWAITING_RESPONSE':
    case 'UNKNOWN':
      return 'pending';
    case 'FAILURE':
    case 'ERROR':
      return 'dead';
    default:
      return 'unknown';
  }
};

/** The exact sum, where all are in one currency and readable. */
const total = (transactions: readonly RefundTransaction[]): Money => {
  const [first] = transactions;
  if (first === undefined) return { amount: null, currency: null };
  const amounts: string[] = [];
  for (const { amount, currency } of transactions) {
    if (currency !== first.currency) return { amount: null, currency: null };
    if (amount !== null) amounts.push(amount);
  }
  const isWhole = amounts.length === transactions.length;
  const [only] = amounts;
  // A single amount stays in the provider's own form.
  const amount = amounts.length === 1 && only !== undefined ? only : sumDecimals(amounts);
  return { amount: isWhole ? amount : null, currency: first.currency };
};

/** The first of these standings that any transaction has decides: money on its way may still come or go. */
const PRECEDENCE: readonly Standing[] = ['pending', 'complete', 'unknown', 'dead'];

/**
 * A Shopify refund has no status of its own: a record of it may exist without any money moving. Only its refund transactions
 * say (shopify.dev, REFUNDS_CREATE: "independent from the movement of money").
 */
export const movementOf = (transactions: readonly RefundTransaction[]): Movement => {
  const refunds = transactions.filter(({ kind }) => kind === null || kind === 'REFUND');
  if (refunds.length === 0) return { status: null, state: 'no_money', amount: null, currency: null };
  const live = refunds.filter(({ status }) => standingOf(status) !== 'dead');
  const money = total(live.length > 0 ? live : refunds);
  for (const standing of PRECEDENCE) {
    const found = refunds.find(({ status }) => standingOf(status) === standing);
    if (found !== undefined) return { status: found.status, state: standing, ...money };
  }
  return { status: null, state: 'unknown', ...money };
};
