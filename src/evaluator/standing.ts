import { isJudgeable, type OperationView, type PaymentView, staleUntil } from './correlation.ts';
import { decimalText } from './decimal.ts';
import type { Evaluation } from './evaluate.ts';
import type { RefundView } from './fold.ts';
import type { StandingSum } from './handoff.ts';
import { isSameMoney } from './intent.ts';
import { own } from './json.ts';

/** A dead refund is taken for one that lives where only a lagging read says so. */
const isGone = (refund: RefundView, owner: OperationView | undefined): boolean => {
  if (refund.state === 'no_money') return true;
  if (refund.state !== 'dead') return false;
  return owner === undefined || !refund.isRead || refund.at >= staleUntil(refund.id, refund, owner);
};

/** Refunds that went or may go, whoever made them. */
const standingRefunds = (view: PaymentView): RefundView[] =>
  [...view.refunds.values()].filter(
    (refund) =>
      (refund.paymentId === null || refund.paymentId === view.payment.paymentId) &&
      !isGone(refund, view.operations.get(view.owners.get(refund.id) ?? '')),
  );

const sumOfRefund = ({ id, amount, currency, otherMoney }: RefundView): StandingSum => ({
  kind: 'refund',
  id,
  amount,
  currency,
  otherMoney: otherMoney ?? null,
});

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.toUpperCase() : null);

const sumOfOperation = ({ id, start, intent }: OperationView): StandingSum => {
  const input = start?.input ?? {};
  return {
    kind: 'operation',
    id,
    amount: intent?.amount ?? decimalText(own(input, 'amount')),
    currency: intent?.currency ?? textOf(own(input, 'currency_code') ?? own(input, 'currency')),
    otherMoney: null,
  };
};

/** Whether a verified operation's refund is among those that nobody owns: a contract may verify without a strong binding. */
const isAmong = (unowned: readonly RefundView[], { intent }: OperationView): boolean =>
  intent !== null && unowned.some((refund) => isSameMoney(refund, intent) === true);

/**
 * Every sum of the payment's money that went or may have gone: live refunds, owned or not, and operations whose refund is not among
 * them and of which the evidence does not say that no money moved. A failure, or a person's word for one, gives nothing back.
 * @param judge the evaluation of an operation that has started; null for one that has not
 */
export const standingSums = (
  view: PaymentView,
  judge: (operation: OperationView) => Evaluation | null,
): StandingSum[] => {
  const refunds = standingRefunds(view);
  const unowned = refunds.filter(({ id }) => !view.owners.has(id));
  const sums = refunds.map(sumOfRefund);
  for (const operation of view.operations.values()) {
    const evaluation = judge(operation);
    if (evaluation === null || evaluation.moneyMoved === false) continue;
    const binding = view.bindings.get(operation.id);
    // Its own refund is known: counted above, or dead.
    if (binding !== undefined && !binding.isClaimedByOther && view.refunds.has(binding.refundId)) continue;
    if (evaluation.verdict === 'VERIFIED' && isJudgeable(operation) && isAmong(unowned, operation)) continue;
    sums.push(sumOfOperation(operation));
  }
  return sums;
};
