import type { EpochMs, ProviderName } from '../../src/evaluator/index.ts';
import { groupBy } from './group-by.ts';

/** Money as it truly is: whole minor units of a currency. */
export interface Money {
  readonly minor: bigint;
  readonly currency: string;
}

export const isSame = (a: Money, b: Money): boolean => a.minor === b.minor && a.currency === b.currency;

/** What truly holds of a refund: on its way, gone to the payer, or it did not and will not go. */
export type Standing = 'pending' | 'complete' | 'dead';

export interface Change {
  readonly at: EpochMs;
  readonly standing: Standing;
}

/** A refund that the provider truly made. */
export interface TrueRefund {
  readonly id: string;
  /** where the money truly went back, which need not be the payment that the operation meant */
  readonly payment: TruePayment;
  readonly money: Money;
  /** the operation whose call made it; null: somebody at the provider's dashboard */
  readonly madeBy: string | null;
  /** oldest first; the first is its creation */
  readonly changes: readonly Change[];
  /** Shopify: how long after its creation the second half of it is written down; 0: it is one transaction */
  readonly splitMs: number;
  /** a value of the caller's that the provider prints on it */
  readonly echo: string | null;
}

/** What the payment service heard from one call. */
export interface TrueAnswer {
  readonly at: EpochMs;
  readonly refund: TrueRefund | null;
  readonly error: 'timeout' | 'network' | 'declined' | null;
}

/** One refund that the payment service means to make, and what became of it. */
export interface TrueOperation {
  readonly id: string;
  readonly payment: TruePayment;
  readonly contract: string;
  /** null: not named, so that the newest is taken */
  readonly version: string | null;
  readonly createdAt: EpochMs;
  readonly money: Money;
  readonly intentRef: string | null;
  /** PayPal's custom_id of the input */
  readonly customId: string | null;
  readonly answers: TrueAnswer[];
  /** an earlier operation whose intent this one repeats, without knowing how that one went */
  readonly retryOf: string | null;
  /** the name of the story that it plays in */
  readonly story: string;
}

/** A captured payment. */
export interface TruePayment {
  readonly provider: ProviderName;
  readonly account: string;
  readonly id: string;
  readonly currency: string;
  /** PayPal: the order whose refunds can be listed; null where the input does not name it */
  readonly orderId: string | null;
  /** how far the provider's clock is ahead of ours */
  readonly skewMs: number;
  readonly refunds: TrueRefund[];
  /** money that the payer's bank took back: told of in a refund's form, and no refund of the merchant's (PayPal) */
  readonly reversals: TrueRefund[];
  readonly operations: TrueOperation[];
}

/** The ledger of truth: what was meant, what was done, and what became of it. */
export interface World {
  readonly payments: readonly TruePayment[];
  readonly startsAt: EpochMs;
  /** everything that happens, happens before */
  readonly endsAt: EpochMs;
}

export const operationsOf = (world: World): TrueOperation[] => world.payments.flatMap(({ operations }) => operations);
export const refundsOf = (world: World): TrueRefund[] => world.payments.flatMap(({ refunds }) => refunds);

const made = new WeakMap<World, ReadonlyMap<string, readonly TrueRefund[]>>();

/** The refunds that an operation's calls made, wherever the money went. The world must be drawn to its end. */
export const refundsMadeBy = (world: World, operationId: string): readonly TrueRefund[] => {
  let byMaker = made.get(world);
  if (byMaker === undefined) {
    byMaker = groupBy(refundsOf(world), ({ madeBy }) => madeBy ?? '');
    made.set(world, byMaker);
  }
  return byMaker.get(operationId) ?? [];
};

/** What can be read by its id: PayPal prints the link of a refund on a reversal too. */
export const readableOf = (world: World): TrueRefund[] => [
  ...refundsOf(world),
  ...world.payments.flatMap(({ reversals }) => reversals),
];

export const createdAt = (refund: TrueRefund): EpochMs => refund.changes[0]?.at ?? 0;

/** The change in force at an instant; null before the refund was made. */
export const changeAt = (refund: TrueRefund, at: EpochMs): Change | null =>
  refund.changes.findLast((change) => change.at <= at) ?? null;

export const isFinallyLive = (refund: TrueRefund): boolean => refund.changes.at(-1)?.standing !== 'dead';
export const wasEverDead = (refund: TrueRefund): boolean => refund.changes.some(({ standing }) => standing === 'dead');

/** Minor units a major unit has, as a power of ten. */
export const DECIMALS: Readonly<Record<string, number>> = { USD: 2, EUR: 2, JPY: 0, KWD: 3 };

/** In major units, with every decimal of the currency: `10.00`. */
export const majorUnits = ({ minor, currency }: Money): string => {
  const decimals = DECIMALS[currency] ?? 2;
  const digits = String(minor).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};
