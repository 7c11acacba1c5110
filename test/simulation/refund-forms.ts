import type { EpochMs, JsonObject } from '../../src/evaluator/index.ts';
import type { Change, Money, Standing, TruePayment, TrueRefund } from './world.ts';
import { createdAt, majorUnits } from './world.ts';

/*
 * A refund as each provider prints it, at one of its changes. Times are by the provider's own clock and in its own grain.
 */

const WORDS: Readonly<Record<string, Readonly<Record<Standing, string>>>> = {
  paypal: { pending: 'PENDING', complete: 'COMPLETED', dead: 'FAILED' },
  square: { pending: 'PENDING', complete: 'COMPLETED', dead: 'FAILED' },
  shopify: { pending: 'PENDING', complete: 'SUCCESS', dead: 'FAILURE' },
  stripe: { pending: 'pending', complete: 'succeeded', dead: 'failed' },
};

export const wordOf = (refund: TrueRefund, { standing }: Change): string =>
  WORDS[refund.payment.provider]?.[standing] ?? standing;

const providerTime = (payment: TruePayment, at: EpochMs): EpochMs => at + payment.skewMs;

/** `2026-09-01T12:00:00Z` */
export const wholeSecond = (payment: TruePayment, at: EpochMs): string =>
  `${new Date(providerTime(payment, at)).toISOString().slice(0, 19)}Z`;

/** `2026-09-01T05:00:00-07:00` */
export const pacificSecond = (payment: TruePayment, at: EpochMs): string =>
  `${new Date(providerTime(payment, at) - 7 * 3_600_000).toISOString().slice(0, 19)}-07:00`;

/** `2026-09-01T12:00:00.123Z` */
export const millisecond = (payment: TruePayment, at: EpochMs): string =>
  new Date(providerTime(payment, at)).toISOString();

export const unixSecond = (payment: TruePayment, at: EpochMs): number => Math.floor(providerTime(payment, at) / 1000);

/** PayPal's events print Pacific time, its API prints UTC. */
export const paypalRefund = (refund: TrueRefund, change: Change, isEvent: boolean): JsonObject => {
  const { payment } = refund;
  const print = isEvent ? pacificSecond : wholeSecond;
  const host = 'https://api.paypal.com/v2/payments';
  return {
    id: refund.id,
    status: wordOf(refund, change),
    amount: { value: majorUnits(refund.money), currency_code: refund.money.currency },
    ...(refund.echo === null ? {} : { custom_id: refund.echo }),
    create_time: print(payment, createdAt(refund)),
    update_time: print(payment, change.at),
    links: [
      { rel: 'self', href: `${host}/refunds/${refund.id}` },
      { rel: 'up', href: `${host}/captures/${payment.id}` },
    ],
  };
};

/** Square's events carry a version, its API does not. */
export const squareRefund = (refund: TrueRefund, change: Change, isEvent: boolean): JsonObject => ({
  id: refund.id,
  payment_id: refund.payment.id,
  amount_money: { amount: refund.money.minor, currency: refund.money.currency },
  status: wordOf(refund, change),
  ...(refund.echo === null ? {} : { reason: refund.echo }),
  created_at: millisecond(refund.payment, createdAt(refund)),
  updated_at: millisecond(refund.payment, change.at),
  ...(isEvent ? { version: 3 * (refund.changes.indexOf(change) + 1) } : {}),
});

/** `10.0`, as Shopify prints ten. */
const shortened = (amount: string): string => {
  if (!amount.includes('.')) return `${amount}.0`;
  return amount.replace(/0+$/, '').replace(/\.$/, '.0');
};

const moneyBag = (amount: string, currencyCode: string): JsonObject => {
  const money = { amount: shortened(amount), currencyCode };
  return { shopMoney: money, presentmentMoney: money };
};

/** A split refund is two transactions, of which a lagging replica knows the first alone. */
const partsOf = ({ money, splitMs }: TrueRefund, isWhole: boolean): Money[] => {
  if (splitMs === 0) return [money];
  const first = money.minor / 2n;
  const parts = [
    { ...money, minor: first },
    { ...money, minor: money.minor - first },
  ];
  return isWhole ? parts : parts.slice(0, 1);
};

/** @param at what the provider's answer knows of */
export const shopifyRefund = (refund: TrueRefund, change: Change, at: EpochMs): JsonObject => {
  const { money, payment } = refund;
  const wholeAt = createdAt(refund) + refund.splitMs;
  const parts = partsOf(refund, at >= wholeAt);
  const minor = parts.reduce((sum, part) => sum + part.minor, 0n);
  return {
    id: refund.id,
    createdAt: wholeSecond(payment, createdAt(refund)),
    updatedAt: wholeSecond(payment, at >= wholeAt ? Math.max(change.at, wholeAt) : change.at),
    note: refund.echo,
    order: { id: payment.id },
    totalRefundedSet: moneyBag(change.standing === 'complete' ? majorUnits({ ...money, minor }) : '0', money.currency),
    transactions: {
      nodes: parts.map((part) => ({
        kind: 'REFUND',
        status: wordOf(refund, change),
        amountSet: moneyBag(majorUnits(part), money.currency),
      })),
    },
  };
};

const restId = (gid: string): bigint => BigInt(gid.slice(gid.lastIndexOf('/') + 1));

/** As Shopify's webhooks carry it: REST's names and small letters. */
export const shopifyRestRefund = (refund: TrueRefund, change: Change): JsonObject => {
  const { money, payment } = refund;
  return {
    id: restId(refund.id),
    admin_graphql_api_id: refund.id,
    order_id: restId(payment.id),
    created_at: wholeSecond(payment, createdAt(refund)),
    note: refund.echo,
    transactions: partsOf(refund, true).map((part) => ({
      kind: 'refund',
      status: wordOf(refund, change).toLowerCase(),
      amount: majorUnits(part),
      currency: money.currency,
    })),
  };
};

export const stripeRefund = (refund: TrueRefund, change: Change): JsonObject => ({
  id: refund.id,
  object: 'refund',
  amount: Number(refund.money.minor),
  currency: refund.money.currency.toLowerCase(),
  charge: refund.payment.id,
  created: unixSecond(refund.payment, createdAt(refund)),
  status: wordOf(refund, change),
  metadata: refund.echo === null ? {} : { operation_id: refund.echo },
});
