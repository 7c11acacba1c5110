import { isJudgeable, type OperationView, type PaymentView } from './correlation.ts';
import {
  type DecideHandoff,
  type HandoffDecided,
  type HandoffObservation,
  type HandoffState,
  HOLD_GRACE_MS,
  MAX_DECISIONS,
  NO_HANDOFF,
} from './handoff.ts';
import { keepsToPlan } from './handoff-drift.ts';
import { instantMs } from './instant.ts';
import { own } from './json.ts';
import type { EpochMs, Source } from './observation.ts';
import { orderText } from './order.ts';
import { type JudgedStart, standingSums } from './standing.ts';
import type { PaymentState } from './state.ts';

/** Offsets are decimal text of any length. */
const isAtOrBefore = (offset: string, other: string): boolean =>
  offset.length !== other.length ? offset.length < other.length : offset <= other;

/** Whether the request was answered by this decision, or by one that this one came after. */
const isAnswered = ({ request }: HandoffDecided, source: Source): boolean =>
  request.topic === source.topic &&
  request.partition === source.partition &&
  isAtOrBefore(source.offset, request.offset);

const namedPlans = (view: PaymentView): Set<string> => {
  const named = new Set<string>();
  for (const { start } of view.operations.values()) if (start?.handoff != null) named.add(start.handoff);
  return named;
};

/** Plans that an operation carries out as they say. A start that leaves its plan gives the plan's sum to nobody. */
const carriedOut = (view: PaymentView, held: HandoffState): Set<string> => {
  const plans = new Map(Object.values(held.decisions).map(({ plan, plan_digest: digest }) => [digest, plan]));
  const begun = new Set<string>();
  for (const operation of view.operations.values()) {
    const digest = operation.start?.handoff ?? null;
    const plan = digest === null ? null : (plans.get(digest) ?? null);
    if (digest !== null && plan !== null && isJudgeable(operation) && keepsToPlan(operation, plan)) begun.add(digest);
  }
  return begun;
};

/** A plan that nobody began and nobody can any more: neither its sum nor its authority is of use again. */
const isOver = ({ plan, plan_digest: digest }: HandoffDecided, named: ReadonlySet<string>, at: EpochMs): boolean =>
  plan === null ||
  (!named.has(String(digest)) &&
    Number(instantMs(plan.hold_until)) + HOLD_GRACE_MS < at &&
    Number(instantMs(plan.authority.expires_at)) + HOLD_GRACE_MS < at);

/** Refusals first, then the oldest. */
const byUse = (a: HandoffDecided, b: HandoffDecided): number =>
  Number(a.plan !== null) - Number(b.plan !== null) ||
  orderText(a.decided_at, b.decided_at) ||
  orderText(a.handoff_id, b.handoff_id);

/**
 * The decision to forget for a new one, of those that are over; null where none is. A refusal is asked for again at worst; of a plan
 * its spent authority goes with it, and a late start would meet a plan that is not known.
 */
const forgettable = (held: HandoffState, named: ReadonlySet<string>, at: EpochMs): string | null => {
  const over = Object.values(held.decisions).filter((decided) => isOver(decided, named, at));
  const [least] = over.sort(byUse);
  return least?.handoff_id ?? null;
};

const remembered = (held: HandoffState, decided: HandoffDecided, forget: string | null): HandoffState => {
  const decisions = { ...held.decisions };
  if (forget !== null) delete decisions[forget];
  decisions[decided.handoff_id] = decided;
  return { ...held, decisions };
};

const hasEvent = ({ payment }: PaymentView, role: 'reversal' | 'dispute'): boolean =>
  payment.events.some((event) => event.role === role);

/** What a request came to: the payment's state, and the decision where there is a new one. */
export interface Asked {
  readonly state: PaymentState;
  readonly decided: HandoffDecided | null;
}

/**
 * Puts a request to the decision and keeps the answer. A request that was granted keeps its plan; one that was refused may be asked
 * again by a later record, never by the same one. Unlike evidence this depends on the order of the log: of two requests the first
 * has the sum.
 */
export const askHandoff = (
  decide: DecideHandoff,
  view: PaymentView,
  request: HandoffObservation,
  judge: (operation: OperationView) => JudgedStart | null,
  now: EpochMs,
): Asked => {
  const state = view.payment;
  const held = state.handoff ?? NO_HANDOFF;
  const known = own(held.decisions, request.handoffId);
  if (known !== undefined && (known.decision === 'planned' || isAnswered(known, request.source)))
    return { state, decided: null };
  const isFull = known === undefined && Object.keys(held.decisions).length >= MAX_DECISIONS;
  const forget = isFull ? forgettable(held, namedPlans(view), request.at) : null;
  const decided = decide({
    payment: { provider: state.provider, account: state.account, paymentId: state.paymentId },
    request,
    held,
    sums: standingSums(view, judge),
    started: carriedOut(view, held),
    isReversed: hasEvent(view, 'reversal'),
    isDisputed: hasEvent(view, 'dispute'),
    isLimited: state.isLimited || held.isLimited || (isFull && forget === null),
    now,
  });
  // No room: what is not kept must not be granted, and is refused as such.
  if (isFull && forget === null) return { state, decided };
  return { state: { ...state, handoff: remembered(held, decided, forget) }, decided };
};

/** Until when a payment must be kept for what was proven of it and for the authorities that were spent on it; 0: not for that. */
export const handoffKeptUntil = (state: PaymentState, chargeValidMs: number): EpochMs => {
  let until = 0;
  for (const { of, bodies } of Object.values(state.handoff?.receipts ?? {})) {
    for (const body of bodies)
      if (of === 'charge') until = Math.max(until, Number(instantMs(body.issuedAt)) + chargeValidMs);
  }
  for (const { plan } of Object.values(state.handoff?.decisions ?? {})) {
    if (plan !== null) until = Math.max(until, Number(instantMs(plan.authority.expires_at)) + HOLD_GRACE_MS);
  }
  return until;
};
