import { type OperationView, type PaymentView, staleUntil } from './correlation.ts';
import { decimalText } from './decimal.ts';
import type { Evaluation } from './evaluate.ts';
import type { RefundView } from './fold.ts';
import type { StandingSum } from './handoff.ts';
import { own } from './json.ts';
import type { OperationStart } from './state.ts';

/** A started operation as it stands: what its start says, and whether its money moved. */
export interface JudgedStart {
  readonly start: OperationStart;
  readonly evaluation: Pick<Evaluation, 'moneyMoved'>;
}

/** A dead refund is taken for one that lives where only a lagging read says so. */
const isGone = (refund: RefundView, owner: OperationView | undefined): boolean => {
  if (refund.state !== 'dead') return refund.state === 'no_money';
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

const sumOfOperation = ({ id, intent }: OperationView, { input }: OperationStart): StandingSum => ({
  kind: 'operation',
  id,
  amount: intent?.amount ?? decimalText(own(input, 'amount')),
  currency: intent?.currency ?? textOf(own(input, 'currency_code') ?? own(input, 'currency')),
  otherMoney: null,
});

/**
 * Every sum of the payment's money that went or may have gone: live refunds, owned or not, and operations whose refund is not among
 * them and of which the evidence does not say that no money moved. A failure, or a person's word for one, gives nothing back.
 * @param judge an operation that has started, as it stands; null for one that has not
 */
export const standingSums = (
  view: PaymentView,
  judge: (operation: OperationView) => JudgedStart | null,
): StandingSum[] => {
  const sums = standingRefunds(view).map(sumOfRefund);
  for (const operation of view.operations.values()) {
    const judged = judge(operation);
    if (judged === null || judged.evaluation.moneyMoved === false) continue;
    const binding = view.bindings.get(operation.id);
    // Its own refund is known: counted above, or dead.
    if (binding !== undefined && !binding.isClaimedByOther && view.refunds.has(binding.refundId)) continue;
    sums.push(sumOfOperation(operation, judged.start));
  }
  return sums;
};
