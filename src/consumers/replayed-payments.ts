import { NO_OPERATION } from '../evaluator/apply.ts';
import {
  type EpochMs,
  emptyPayment,
  type HandoffDecided,
  NO_HANDOFF,
  type OperationState,
  type PaymentState,
  type Published,
  paymentKey,
  type ReceiptRef,
  type ReducePayment,
} from '../evaluator/index.ts';
import type { PublishedPayments, PublishedRevision } from '../ports/verdict-publisher.ts';

/** A withdrawal's detail tells the evaluated reason after the verdict that it takes back. */
const WITHDRAWN_FOR = / no longer holds\. ([a-z0-9_]+): /;

const publishedOf = ({ decidedAt, detail, receipt: _, ...revision }: PublishedRevision): Published => ({
  ...revision,
  evaluated: (revision.reason === 'withdrawn' ? WITHDRAWN_FOR.exec(detail)?.[1] : undefined) ?? revision.reason,
  at: decidedAt,
});

const lastReceipt = (revisions: readonly PublishedRevision[]): ReceiptRef | null => {
  const sealed = revisions.findLast(({ receipt }) => receipt !== null);
  return sealed?.receipt == null ? null : { revision: sealed.revision, hash: sealed.receipt };
};

const withRevisions = (operation: OperationState, revisions: readonly PublishedRevision[]): OperationState => {
  const last = operation.published.at(-1)?.revision ?? 0;
  const later = revisions.filter(({ revision }) => revision > last);
  if (later.length === 0) return operation;
  const published = [...operation.published, ...later.map(publishedOf)];
  return { ...operation, published, receipt: lastReceipt(later) ?? operation.receipt };
};

/**
 * Puts answers into a state as facts: what was granted is granted, whatever the state would make of the request now, and what was
 * answered is not answered again.
 */
export const withDecisions = (state: PaymentState, decided: readonly HandoffDecided[]): PaymentState => {
  if (decided.length === 0) return state;
  const held = state.handoff ?? NO_HANDOFF;
  const decisions = { ...held.decisions };
  for (const one of decided) {
    if (decisions[one.handoff_id]?.decision !== 'planned') decisions[one.handoff_id] = one;
  }
  return { ...state, handoff: { ...held, decisions } };
};

/**
 * Puts into a state what the verdicts topic says was published of it, where the state is older than that. A payment that the
 * store has lost altogether begins anew, with its operations' revisions.
 */
export const amendState = (
  published: PublishedPayments,
  key: string,
  state: PaymentState | null,
): PaymentState | null => {
  const payment = published.get(key);
  if (payment === undefined) return state;
  const before = state ?? emptyPayment(payment.ref);
  const operations = { ...before.operations };
  for (const [id, revisions] of payment.operations) {
    operations[id] = withRevisions(operations[id] ?? NO_OPERATION, revisions);
  }
  return withDecisions({ ...before, operations }, payment.handoffs ?? []);
};

/** The same, to be evaluated at `now` whatever it was due. */
export const amendForJudgement = (
  published: PublishedPayments,
  key: string,
  state: PaymentState | null,
  now: EpochMs,
): PaymentState | null => {
  const amended = amendState(published, key, state);
  return amended === null ? null : { ...amended, evaluateAt: Math.min(amended.evaluateAt ?? now, now) };
};

/**
 * The reducer while records are applied a second time on older states: what it says on the way about operations that readers
 * have seen further along is not said again. Their payments are judged once the replay is through.
 */
export const reduceSilently = (reduce: ReducePayment, published: PublishedPayments): ReducePayment => {
  return (contracts, input) => {
    const step = reduce(contracts, input);
    const payment = published.get(paymentKey(input.ref));
    if (payment === undefined) return step;
    const operations = { ...step.state.operations };
    for (const id of payment.operations.keys()) {
      const operation = operations[id];
      if (operation !== undefined) {
        // The links of what is not said are forgotten with it.
        const { published: said, receipt } = input.state?.operations[id] ?? operation;
        operations[id] = { ...operation, published: said, receipt };
      }
    }
    const verdicts = step.verdicts.filter((verdict) => !payment.operations.has(verdict.operation_id));
    return { ...step, state: { ...step.state, operations }, verdicts };
  };
};
