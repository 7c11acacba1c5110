import type { EpochMs, JsonObject } from '../../../../src/evaluator/index.ts';
import { paymentKey, printInstant } from '../../../../src/evaluator/index.ts';
import { drawPayment } from '../../draw-world.ts';
import type { Random } from '../../random.ts';
import { majorUnits, type TrueOperation, type TruePayment, type TrueRefund } from '../../world.ts';
import type { FixedKey } from '../fixed-key.ts';
import { LEDGER, RISK, STRANGER } from './issuers.ts';

/*
 * What is asked of a house's handoff, drawn before it begins: charges, receipts, authorities, requests, refunds from the dashboard,
 * operations without a plan, and people who decide on these. None of it is in the world: the world's oracle does not know it.
 */

export interface Charge {
  readonly payment: TruePayment;
  readonly receiptRef: string;
  readonly minor: bigint;
  readonly receipts: readonly { readonly at: EpochMs; readonly value: JsonObject; readonly isProven: boolean }[];
}

export interface Authority {
  readonly id: string;
  readonly isSigned: boolean;
  readonly maxMinor: bigint;
  readonly expiresAt: EpochMs;
  readonly jws: string;
}

/** What a planner does with the plan that it gets. */
export type Conduct = 'keep' | 'amount' | 'key' | 'late' | 'twice' | 'never';

export interface Ask {
  readonly name: string;
  readonly charge: Charge;
  readonly minor: bigint;
  readonly counterparty: string;
  readonly authority: Authority;
  readonly conduct: Conduct;
  readonly times: readonly EpochMs[];
  /** written to the topic by somebody who keys as he likes; else asked of a gateway */
  readonly isDirect: boolean;
  readonly namesPayment: boolean;
}

export interface Review {
  readonly afterMs: number;
  readonly decision: 'VERIFIED' | 'CONTRADICTED' | 'FAILED';
  readonly answers: 'last' | 'first' | 'unpublished' | 'other';
  readonly isDoubled: boolean;
}

/** An operation without a plan. */
export interface PlainOperation {
  readonly operation: TrueOperation;
  readonly reviews: readonly Review[];
}

export interface DeskPlan {
  readonly charges: readonly Charge[];
  readonly asks: readonly Ask[];
  readonly dashboard: readonly TrueRefund[];
  readonly plain: readonly PlainOperation[];
}

export const PAYER = 'cus_1';
export const CURRENCY = 'USD';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const keyOfCharge = ({ payment: { provider, account, id } }: Charge): string =>
  paymentKey({ provider, account, paymentId: id });

const claimsOf = (charge: Omit<Charge, 'receipts'>, iss: string, issuedAt: EpochMs): JsonObject => ({
  type: 'charge.receipt',
  iss,
  receipt_ref: charge.receiptRef,
  provider: charge.payment.provider,
  account: charge.payment.account,
  payment_id: charge.payment.id,
  payer: PAYER,
  amount: majorUnits({ minor: charge.minor, currency: CURRENCY }),
  currency: CURRENCY,
  rail: 'mock',
  realm: 'live',
  provider_proof: [`proof-${charge.receiptRef}`],
  money_moved: true,
  issued_at: printInstant(issuedAt),
});

const receiptOf = (charge: Omit<Charge, 'receipts'>, signer: FixedKey | null, at: EpochMs, issuedAt: EpochMs) => ({
  at,
  isProven: signer === LEDGER,
  value: {
    kind: 'charge.receipt',
    provider: charge.payment.provider,
    account: charge.payment.account,
    payment_id: charge.payment.id,
    receipt_ref: charge.receiptRef,
    ...(signer === null ? {} : { receipt: signer.sign(claimsOf(charge, signer.kid, issuedAt)) }),
    received_at: printInstant(at),
  },
});

const drawCharge = (random: Random, number: number, at: EpochMs): Charge => {
  const payment = {
    ...drawPayment(random, random.pick(['paypal', 'square', 'shopify', 'stripe'])),
    currency: CURRENCY,
    skewMs: 0,
    refunds: [],
    operations: [],
  };
  const charge = { payment, receiptRef: `rcpt-${number}`, minor: BigInt(random.int(20, 200) * 100) };
  const issuedAt = at - HOUR_MS;
  const first = random.pick([LEDGER, LEDGER, LEDGER, STRANGER, null]);
  const receipts = [receiptOf(charge, first, at, issuedAt)];
  if (random.chance(0.3)) receipts.push(receiptOf(charge, first, at + random.int(0, 60_000), issuedAt));
  if (first !== LEDGER && random.chance(0.7))
    receipts.push(receiptOf(charge, LEDGER, at + random.int(0, 5 * MINUTE_MS), issuedAt));
  return { ...charge, receipts };
};

const drawAuthority = (random: Random, id: string, minor: bigint, at: EpochMs): Authority => {
  const isSigned = random.chance(0.92);
  const signer = isSigned ? RISK : STRANGER;
  const maxMinor = random.chance(0.9) ? minor : minor / 2n;
  const expiresAt = at + random.pick([DAY_MS, DAY_MS, 10 * MINUTE_MS, 90_000, -MINUTE_MS]);
  const claims = {
    type: 'refund.authority',
    iss: signer.kid,
    id,
    realm: 'live',
    operation: 'refund',
    payer: PAYER,
    currency: CURRENCY,
    rail: 'mock',
    max_amount: majorUnits({ minor: maxMinor, currency: CURRENCY }),
    single_use: true,
    expires_at: printInstant(expiresAt),
  };
  return { id, isSigned, maxMinor, expiresAt, jws: signer.sign(claims) };
};

const part = (random: Random, whole: bigint): bigint => {
  const share = random.pick([1n, 1n, 2n, 2n, 3n, 5n]);
  return random.chance(0.05) ? whole + 100n : whole / share;
};

/** Asked once, at once from several sides, and again after a while. */
const timesFrom = (random: Random, at: EpochMs): EpochMs[] => {
  const times = [at];
  while (times.length < 4 && random.chance(0.4))
    times.push(at + random.pick([0, 1, 40, 5_000, 70_000, 30 * MINUTE_MS]));
  return times;
};

const drawAsks = (random: Random, charges: readonly Charge[], from: EpochMs): Ask[] => {
  const asks: Ask[] = [];
  const count = charges.length * random.int(1, 4);
  for (let number = 1; number <= count; number += 1) {
    const earlier = asks.length > 0 && random.chance(0.3) ? random.pick(asks) : null;
    // Mostly for what it was given for, and within its bounds: then all that speaks against it is that it was used.
    const again = earlier !== null && random.chance(0.6) ? earlier : null;
    const charge = again?.charge ?? random.pick(charges);
    const at = from + random.pick([random.int(0, 3_000), random.int(0, 10 * MINUTE_MS), random.int(0, 2 * HOUR_MS)]);
    const minor = again === null ? part(random, charge.minor) : again.authority.maxMinor / random.pick([2n, 3n]);
    const authority = earlier?.authority ?? drawAuthority(random, `auth-${number}`, minor, at);
    const conduct = random.pick<Conduct>(['keep', 'keep', 'keep', 'amount', 'key', 'late', 'twice', 'never']);
    asks.push({
      name: `ask-${number}`,
      charge,
      minor,
      counterparty: random.chance(0.95) ? PAYER : 'cus_2',
      authority,
      conduct,
      times: timesFrom(random, at),
      isDirect: random.chance(0.3),
      namesPayment: random.chance(0.6),
    });
  }
  return asks;
};

const CONTRACTS = {
  paypal: 'paypal.refund.completed',
  square: 'square.refund.completed',
  shopify: 'shopify.refund.financially_completed',
  stripe: 'stripe.refund.succeeded',
} as const;

export const contractOf = ({ provider }: TruePayment): string => CONTRACTS[provider];

const DIGITS = '0123456789';
const CAPITALS = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';

/** A refund of a payment, complete as soon as it is made. */
export const refundOf = (
  random: Random,
  payment: TruePayment,
  minor: bigint,
  at: EpochMs,
  madeBy: string | null,
): TrueRefund => {
  const ids = {
    paypal: () => random.text(CAPITALS, 17),
    square: () => `${payment.id}_${random.text(CAPITALS, 20)}`,
    shopify: () => `gid://shopify/Refund/${random.int(1, 8)}${random.text(DIGITS, 18)}`,
    stripe: () => `re_${random.text(CAPITALS, 16)}`,
  };
  const id = ids[payment.provider]();
  const money = { minor, currency: CURRENCY };
  return { id, payment, money, madeBy, changes: [{ at, standing: 'complete' }], splitMs: 0, echo: null };
};

const drawReviews = (random: Random): Review[] =>
  Array.from({ length: random.pick([0, 1, 1, 3]) }, () => ({
    afterMs: random.pick([random.int(0, HOUR_MS), 4 * DAY_MS, random.int(5, 12) * DAY_MS]),
    decision: random.pick(['VERIFIED', 'CONTRADICTED', 'FAILED'] as const),
    answers: random.pick(['last', 'last', 'first', 'unpublished', 'other'] as const),
    isDoubled: random.chance(0.3),
  }));

const drawPlain = (random: Random, charge: Charge, number: number, at: EpochMs): PlainOperation => {
  const operation: TrueOperation = {
    id: `plain-${number}`,
    payment: charge.payment,
    contract: contractOf(charge.payment),
    version: null,
    createdAt: at,
    money: { minor: part(random, charge.minor), currency: CURRENCY },
    intentRef: null,
    customId: null,
    answers: [],
    retryOf: null,
    story: 'plain',
  };
  return { operation, reviews: drawReviews(random) };
};

/** @param startsAt when the world begins */
export const drawDesk = (random: Random, count: number, startsAt: EpochMs): DeskPlan => {
  const from = startsAt + random.int(0, HOUR_MS);
  const charges = Array.from({ length: count }, (_, index) =>
    drawCharge(random, index + 1, from - random.pick([10 * MINUTE_MS, 1_000, -2_000])),
  );
  if (count === 0) return { charges, asks: [], dashboard: [], plain: [] };
  const asks = drawAsks(random, charges, from);
  const dashboard = charges
    .filter(() => random.chance(0.4))
    .map(({ payment, minor }) => {
      const at = from + random.pick([-5 * MINUTE_MS, random.int(0, HOUR_MS)]);
      return refundOf(random, payment, minor / random.pick([2n, 3n, 5n]), at, null);
    });
  for (const refund of dashboard) refund.payment.refunds.push(refund);
  const plain = charges
    .filter(() => random.chance(0.5))
    .map((charge, index) =>
      drawPlain(random, charge, index + 1, from + random.pick([-MINUTE_MS, random.int(0, HOUR_MS)])),
    );
  return { charges, asks, dashboard, plain };
};
