import type { HandoffQuestion, HandoffState, ReceiptBody, StandingSum, Taken } from '../evaluator/index.ts';
import { HOLD_GRACE_MS, instantMs } from '../evaluator/index.ts';
import { type Currency, majorText, minorOfMajor, minorOfStated } from './money.ts';

/** What is left of a charge. */
export interface Ceiling {
  readonly charged: bigint;
  readonly taken: readonly Taken[];
  /** never below 0 */
  readonly remaining: bigint;
  /** sums that cannot be told in the charge's currency: with one of them nothing is sure to be left */
  readonly unmeasured: readonly string[];
  /** plans that ended unbegun: nothing is taken off for them */
  readonly lapsed: readonly LapsedPlan[];
}

/** A plan whose hold has ended and that no operation carries out. */
export interface LapsedPlan {
  readonly handoffId: string;
  readonly minor: bigint;
}

/** One sum that lowers what is left; null: it cannot be told. */
interface Line {
  readonly kind: Taken['kind'];
  readonly id: string;
  readonly minor: bigint | null;
}

const isIn = (currency: string | null, { code }: Currency): boolean =>
  currency === null || currency.toUpperCase() === code;

const minorOfSum = ({ amount, currency, otherMoney }: StandingSum, money: Currency): bigint | null => {
  if (amount !== null && isIn(currency, money)) return minorOfStated(amount, money);
  if (otherMoney !== null && isIn(otherMoney.currency, money)) return minorOfStated(otherMoney.amount, money);
  return null;
};

const lineOfReceipt = (refundId: string, bodies: readonly ReceiptBody[], money: Currency): Line => {
  let most: bigint | null = 0n;
  for (const { amount, currency } of bodies) {
    const minor: bigint | null = isIn(currency, money) ? minorOfMajor(amount, money) : null;
    if (minor === null || most === null) most = null;
    else if (minor > most) most = minor;
  }
  return { kind: 'refund_receipt', id: refundId, minor: most };
};

/** Proven reversals that the provider's own evidence does not show yet; of two that disagree on one refund the larger counts. */
const receiptLines = ({ receipts }: HandoffState, seen: ReadonlySet<string>, money: Currency): Line[] => {
  const byRefund = new Map<string, ReceiptBody[]>();
  for (const { bodies } of Object.values(receipts)) {
    for (const body of bodies) {
      if (body.refund === null || seen.has(body.refund.refundId)) continue;
      byRefund.set(body.refund.refundId, [...(byRefund.get(body.refund.refundId) ?? []), body]);
    }
  }
  return [...byRefund].map(([refundId, bodies]) => lineOfReceipt(refundId, bodies, money));
};

/** Another plan than the one that is asked for, which no operation carries out as it says. */
interface UnbegunPlan {
  readonly id: string;
  readonly minor: bigint | null;
  /** somebody may still make its call */
  readonly isHeld: boolean;
}

const unbegunPlans = ({ held, started, request }: HandoffQuestion, money: Currency): UnbegunPlan[] =>
  Object.values(held.decisions).flatMap(({ handoff_id: id, plan, plan_digest: digest }): UnbegunPlan[] => {
    if (plan === null || digest === null || id === request.handoffId || started.has(digest)) return [];
    const { amount, currency } = plan.refund;
    const minor = isIn(currency, money) ? minorOfMajor(amount, money) : null;
    return [{ id, minor, isHeld: Number(instantMs(plan.hold_until)) + HOLD_GRACE_MS > request.at }];
  });

/** Takes off a charge everything that went, may have gone, or is promised, owned or not. */
export const ceilingOf = (question: HandoffQuestion, charged: bigint, money: Currency): Ceiling => {
  const { sums, held } = question;
  const seen = new Set(sums.filter(({ kind }) => kind === 'refund').map(({ id }) => id));
  const unbegun = unbegunPlans(question, money);
  const lines: Line[] = [
    ...sums.map((sum): Line => ({ kind: sum.kind, id: sum.id, minor: minorOfSum(sum, money) })),
    ...receiptLines(held, seen, money),
    ...unbegun.filter(({ isHeld }) => isHeld).map(({ id, minor }): Line => ({ kind: 'hold', id, minor })),
  ];
  let remaining = charged;
  const taken: Taken[] = [];
  const unmeasured: string[] = [];
  for (const { kind, id, minor } of lines) {
    if (minor === null) unmeasured.push(`${kind} ${id}`);
    else {
      remaining -= minor;
      taken.push({ kind, id, amount: majorText(minor, money) });
    }
  }
  const lapsed = unbegun.flatMap(({ id, minor, isHeld }): LapsedPlan[] =>
    isHeld || minor === null ? [] : [{ handoffId: id, minor }],
  );
  return { charged, taken, remaining: remaining < 0n ? 0n : remaining, unmeasured, lapsed };
};
