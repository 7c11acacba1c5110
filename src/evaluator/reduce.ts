import { applyObservation, emptyPayment, operationOf } from './apply.ts';
import { askHandoff, handoffKeptUntil } from './ask-handoff.ts';
import type { ContractSet } from './compile.ts';
import type { VerdictName } from './contract.ts';
import { isJudgeable, type OperationView, type PaymentView, viewPayment } from './correlation.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { findingsOf } from './findings.ts';
import { CHARGE_VALID_MS, type DecideHandoff } from './handoff.ts';
import { withMember } from './json.ts';
import type { EpochMs } from './observation.ts';
import { Subject } from './observed.ts';
import { earliest } from './order.ts';
import { type Beside, isHeld, publication } from './publish.ts';
import { refundOf, verdictRecord } from './record.ts';
import { evaluateRefused, refusedRecord } from './refused.ts';
import type { OperationStart, OperationState, PaymentState, Published } from './state.ts';
import { lastPublished, MAX_REVISIONS_KEPT } from './state.ts';
import type { DueRead, PaymentInput, PaymentStep, ReducePayment, Rejection } from './step.ts';
import { wantedReads } from './timing.ts';
import type { VerdictRecord } from './verdict.ts';

const DAY_MS = 86_400_000;
/** Evidence of a payment without operations is kept this long, for an operation that is published late. */
export const WATCH_MS = 35 * DAY_MS;
/** The state outlives its watch period by this much, so that a late shard never meets a payment forgotten. */
const EXPIRY_SLACK_MS = 7 * DAY_MS;

/** One operation as it stands: its evaluation, and how a publication of it is written. */
export interface JudgedOperation {
  readonly start: OperationStart;
  readonly evaluation: Evaluation;
  /** null where the start was refused or its contract is not in use */
  readonly subject: Subject | null;
}

/** Judges one operation of a payment at `now`; null where it has not started. */
export const judgeOperation = (view: PaymentView, operation: OperationView, now: EpochMs): JudgedOperation | null => {
  const { start } = operation;
  if (start === null) return null;
  if (!isJudgeable(operation)) return { start, subject: null, evaluation: evaluateRefused(start) };
  const subject = new Subject(view, operation, now);
  return { start, subject, evaluation: evaluate(subject) };
};

const remember = (operation: OperationState, entry: Published): OperationState => ({
  ...operation,
  published: [...operation.published, entry].slice(-MAX_REVISIONS_KEPT),
});

const besideOf = (subject: Subject | null, verdict: VerdictName): Beside =>
  subject === null
    ? { findings: [], refund: null }
    : { findings: findingsOf(subject, verdict), refund: refundOf(subject) };

/** Evaluates every operation of the payment at `now` and publishes what is new. */
const pass = (state: PaymentState, view: PaymentView, now: EpochMs, verdicts: VerdictRecord[]): PaymentState => {
  let evaluateAt: EpochMs | null = null;
  let operations: Record<string, OperationState> | null = null;
  for (const operation of view.operations.values()) {
    const judged = judgeOperation(view, operation, now);
    if (judged === null) continue;
    const { start, subject, evaluation } = judged;
    // The view tells of the evidence; what was published since it was made, the state alone.
    const current = operationOf(state, operation.id);
    const due = publication(current, start.at, evaluation, now, (verdict) => besideOf(subject, verdict));
    if (due !== null) {
      verdicts.push(subject === null ? refusedRecord(state, operation.id, start, due) : verdictRecord(subject, due));
      operations = withMember(operations ?? state.operations, operation.id, remember(current, due.published));
    } else if (isHeld(lastPublished(current), evaluation, now)) {
      evaluateAt = earliest(evaluateAt, evaluation.heldUntil);
    }
    evaluateAt = earliest(evaluateAt, evaluation.changesAt);
  }
  if (operations === null && evaluateAt === state.evaluateAt) return state;
  return { ...state, operations: operations ?? state.operations, evaluateAt };
};

/** Every read now wanted for the payment's operations. */
const readsOf = (view: PaymentView, now: EpochMs): DueRead[] => {
  const reads: DueRead[] = [];
  for (const operation of view.operations.values()) {
    if (isJudgeable(operation)) reads.push(...wantedReads(new Subject(view, operation, now)));
  }
  return reads;
};

/** Until when the payment's state must be kept, once no evaluation is to come: none of its operations is PENDING then. */
const expiryOf = (state: PaymentState, view: PaymentView): EpochMs => {
  let expiresAt = Math.max(state.touchedAt + WATCH_MS, WATCH_MS, handoffKeptUntil(state, CHARGE_VALID_MS));
  for (const operation of view.operations.values()) {
    if (!isJudgeable(operation)) continue;
    const judgedAt = operationOf(state, operation.id)
      .published.slice(-1)
      .map(({ at }) => at);
    const watchedFrom = Math.max(state.touchedAt, ...judgedAt);
    expiresAt = Math.max(expiresAt, watchedFrom + operation.contract.contract.timing.watch_period_ms);
  }
  return expiresAt + EXPIRY_SLACK_MS;
};

/** Every evaluation asks for a later instant or for none; were it not so, the clock would stand still for ever. */
export const assertTimePasses = (at: EpochMs, next: EpochMs | null): void => {
  if (next !== null && next <= at) throw new Error(`evaluation at ${at} asks for ${next}`);
};

/**
 * Applies one payment's records in log order and lets the stream time pass up to `now`. Evaluations that fall due between
 * two records are done at their own instants, so that the revisions do not depend on how records were batched.
 */
const reduce = (decide: DecideHandoff | null, contracts: ContractSet, input: PaymentInput): PaymentStep => {
  const verdicts: VerdictRecord[] = [];
  const handoffs: PaymentStep['handoffs'][number][] = [];
  const rejections: Rejection[] = [];
  let state = input.state ?? emptyPayment(input.ref);
  let viewed: PaymentView | null = null;
  const view = (): PaymentView => {
    viewed ??= viewPayment(state, contracts);
    return viewed;
  };

  const passTime = (until: EpochMs): void => {
    while (state.evaluateAt !== null && state.evaluateAt <= until) {
      const at = state.evaluateAt;
      state = pass(state, view(), at, verdicts);
      assertTimePasses(at, state.evaluateAt);
    }
  };

  input.observations.forEach((observation, index) => {
    const at = input.appliedAt[index] ?? input.now;
    passTime(at);
    const applied = applyObservation(state, observation);
    if (applied.rejection !== null) rejections.push({ index, ...applied.rejection });
    state = applied.state;
    viewed = null;
    if (observation.kind === 'handoff' && decide !== null) {
      const judge = (operation: OperationView) => judgeOperation(view(), operation, at);
      const asked = askHandoff(decide, view(), observation, judge, at);
      if (asked.decided !== null) handoffs.push({ index, decided: asked.decided });
      state = asked.state;
      viewed = null;
    }
    state = pass(state, view(), at, verdicts);
  });
  passTime(input.now);
  const { now } = input;
  const evidence = view();
  // However far time jumps at once: what has a deadline before it is judged first, and expires only then.
  const expiresAt = state.evaluateAt === null ? expiryOf(state, evidence) : null;
  let reads: DueRead[] | null = null;
  return {
    state,
    verdicts,
    handoffs,
    rejections,
    evaluateAt: state.evaluateAt,
    expiresAt,
    // Worked out when asked for: a replay reads nothing back.
    get reads() {
      reads ??= readsOf(evidence, now);
      return reads;
    },
  };
};

/** The reducer that puts requests for a plan to `decide`; null: nobody decides, and they come to nothing. */
export const createReducer =
  (decide: DecideHandoff | null): ReducePayment =>
  (contracts, input) =>
    reduce(decide, contracts, input);

/** The reducer without a handoff. */
export const reducePayment: ReducePayment = createReducer(null);
