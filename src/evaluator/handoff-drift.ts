import { isJudgeable, type JudgeableOperation } from './correlation.ts';
import { compareDecimals, decimalText, sumDecimals } from './decimal.ts';
import type { HandoffDecided, HandoffPlan } from './handoff.ts';
import { instantMs } from './instant.ts';
import { own } from './json.ts';
import type { EpochMs } from './observation.ts';
import type { Subject } from './observed.ts';
import type { OperationStart } from './state.ts';

/** A start may be read before the plan that it names: another partition may hold that one up. */
export const PLAN_WAIT_MS = 120_000;

/** One thing that an operation does otherwise than its plan says. */
export interface Drift {
  /** the reason of the verdict, a code */
  readonly name: string;
  readonly detail: string;
}

export interface HandoffJudgement {
  readonly drifts: readonly Drift[];
  /** until when the plan that the operation names may still come; null where nothing is waited for */
  readonly openUntil: EpochMs | null;
}

const HELD: HandoffJudgement = { drifts: [], openUntil: null };

const decisionsOf = ({ view: { payment } }: Subject): readonly HandoffDecided[] =>
  Object.values(payment.handoff?.decisions ?? {});

const planOf = (subject: Subject, digest: string): HandoffPlan | null => {
  for (const decided of decisionsOf(subject)) {
    if (decided.plan_digest === digest) return decided.plan;
  }
  return null;
};

interface Claimant {
  readonly id: string;
  readonly at: EpochMs;
}

/** Of operations that want the same, the first by created_at, then by id. */
const comesBefore = (a: Claimant, b: Claimant): boolean => a.at < b.at || (a.at === b.at && a.id < b.id);

/** The operation that a plan is for: the first that names it. */
const ownerOf = (subject: Subject, digest: string): string => {
  let first: Claimant = { id: subject.operation.id, at: subject.operation.start.at };
  for (const { id, start } of subject.view.operations.values()) {
    if (start === null || start.handoff !== digest) continue;
    const other = { id, at: start.at };
    if (comesBefore(other, first)) first = other;
  }
  return first.id;
};

const drift = (name: string, what: string, was: string, planned: string): Drift => ({
  name,
  detail: `The plan says ${what} ${planned}; the operation says ${was}.`,
});

const amountDrift = ({ intent }: JudgeableOperation, { refund }: HandoffPlan): Drift[] => {
  const { amount, currency } = intent;
  const planned = decimalText(refund.provider_amount);
  const isAmount = amount !== null && planned !== null && compareDecimals(amount, planned) === 0;
  const isCurrency = currency === null || currency === refund.currency.toUpperCase();
  if (isAmount && isCurrency) return [];
  const was = [amount, currency].filter((part) => part !== null).join(' ');
  return [drift('handoff_amount_drift', 'an amount of', was, `${String(planned)} ${refund.currency}`)];
};

const payerDrift = ({ input }: OperationStart, { refund }: HandoffPlan): Drift[] => {
  const payer = own(input, 'payer') ?? own(input, 'counterparty');
  return typeof payer !== 'string' || payer === refund.counterparty
    ? []
    : [drift('handoff_payer_drift', 'the payer is', payer, refund.counterparty)];
};

const railDrift = ({ input }: OperationStart, { adapter }: HandoffPlan): Drift[] => {
  const rail = own(input, 'rail');
  return typeof rail !== 'string' || rail === adapter.rail
    ? []
    : [drift('handoff_rail_drift', 'the rail is', rail, adapter.rail)];
};

const keyDrift = ({ idempotencyKey }: OperationStart, plan: HandoffPlan): Drift[] =>
  idempotencyKey === plan.idempotency_key
    ? []
    : [drift('handoff_key_drift', 'the idempotency key is', idempotencyKey, plan.idempotency_key)];

const expiryDrift = (subject: Subject, plan: HandoffPlan): Drift[] => {
  const { createdAt } = subject.operation.intent;
  const until = Number(instantMs(plan.hold_until)) + subject.contract.contract.timing.clock_skew_ms;
  return createdAt.startMs <= until
    ? []
    : [drift('handoff_expired', 'it must begin before', subject.operation.start.createdAt, plan.hold_until)];
};

/** What an operation does otherwise than its plan says, whenever it began. */
const termDrifts = (operation: JudgeableOperation, plan: HandoffPlan): Drift[] => [
  ...amountDrift(operation, plan),
  ...payerDrift(operation.start, plan),
  ...railDrift(operation.start, plan),
  ...keyDrift(operation.start, plan),
];

/** Whether an operation carries its plan out as it says: amount, currency, payer, rail and idempotency key. */
export const keepsToPlan = (operation: JudgeableOperation, plan: HandoffPlan): boolean =>
  termDrifts(operation, plan).length === 0;

/** Whether an operation before this one carries the plan out. */
const isBegunBefore = (subject: Subject, plan: HandoffPlan, digest: string | null): boolean => {
  const { id, start } = subject.operation;
  for (const other of subject.view.operations.values()) {
    if (!isJudgeable(other) || other.start.handoff !== digest) continue;
    if (comesBefore({ id: other.id, at: other.start.at }, { id, at: start.at }) && keepsToPlan(other, plan))
      return true;
  }
  return false;
};

/**
 * A start on a plan whose sum was given to another plan meanwhile, whatever its created_at says. Of several such starts those are told
 * that what is left beside the other plan does not suffice for, the first by created_at first.
 */
const lapsedDrift = (subject: Subject, plan: HandoffPlan): Drift[] => {
  const decisions = decisionsOf(subject);
  for (const { handoff_id: other, plan: later } of decisions) {
    const lapsed = later?.ceiling.lapsed ?? [];
    if (later === null || !lapsed.includes(plan.handoff_id)) continue;
    const begun = decisions.flatMap(({ handoff_id: one, plan: held, plan_digest: digest }) =>
      held !== null && lapsed.includes(one) && isBegunBefore(subject, held, digest) ? [held.refund.amount] : [],
    );
    const wanted = sumDecimals([plan.refund.amount, ...begun]);
    if (wanted !== null && compareDecimals(wanted, later.ceiling.remaining_after) !== 1) continue;
    const detail = `The plan ended unbegun at ${plan.hold_until}, and what it held was given to the plan ${other}.`;
    return [{ name: 'handoff_expired', detail }];
  }
  return [];
};

/**
 * Holds an operation to the plan that it names. The plan is one of its own payment: one of another payment is not known here. A plan
 * that is not known is waited for, since nothing orders the two records; then it is a drift like any other.
 */
export const judgeHandoff = (subject: Subject): HandoffJudgement => {
  const { start, id } = subject.operation;
  const { handoff } = start;
  if (handoff === null) return HELD;
  const plan = planOf(subject, handoff);
  if (plan === null) {
    const openUntil = start.at + PLAN_WAIT_MS;
    if (subject.now < openUntil) return { drifts: [], openUntil };
    const detail = `No plan ${handoff.slice(0, 100)} was granted on this payment.`;
    return { drifts: [{ name: 'handoff_unknown', detail }], openUntil: null };
  }
  const expired = expiryDrift(subject, plan);
  const drifts = [...termDrifts(subject.operation, plan), ...expired];
  if (ownerOf(subject, handoff) !== id) {
    drifts.push({
      name: 'handoff_used',
      detail: 'Another operation was started on the same plan before. A plan is for one.',
    });
  } else if (expired.length === 0) drifts.push(...lapsedDrift(subject, plan));
  return { drifts, openUntil: null };
};
