import { applyReceipt } from './apply-receipt.ts';
import { greater, greaterEvent } from './fold.ts';
import { own, withMember } from './json.ts';
import {
  type ActedObservation,
  type EpochMs,
  type EventObservation,
  type Observation,
  type PaymentRef,
  paymentKey,
  type ReadObservation,
  type RefundFacts,
  type ReviewObservation,
  type StartedObservation,
} from './observation.ts';
import { orderText } from './order.ts';
import type {
  ActionEntry,
  EventEntry,
  FoldedFacts,
  FoldedRead,
  OperationStart,
  OperationState,
  PaymentState,
  PollState,
  RefundState,
} from './state.ts';
import { MAX_ACTIONS, MAX_EVENTS, MAX_REFUNDS, MAX_REVIEWS, MAX_RIVALS } from './state.ts';
import type { Rejection } from './step.ts';

/*
 * Recording evidence. Every function here is a join: commutative, associative and idempotent, so that any order and any
 * repetition of the same records ends in the same state. Nothing here looks at a contract or a clock.
 */

export const emptyPayment = (ref: PaymentRef): PaymentState => ({
  provider: ref.provider,
  account: ref.account,
  paymentId: ref.paymentId,
  operations: {},
  refunds: {},
  events: [],
  lists: {},
  dropped: {},
  touchedAt: 0,
  isLimited: false,
  evaluateAt: null,
});

export const NO_OPERATION: OperationState = {
  start: null,
  rivals: [],
  actions: [],
  polls: {},
  reviews: [],
  published: [],
  receipt: null,
};

export interface Applied {
  readonly state: PaymentState;
  readonly rejection: Omit<Rejection, 'index'> | null;
}

export const operationOf = (state: PaymentState, id: string): OperationState =>
  own(state.operations, id) ?? NO_OPERATION;

const withOperation = (state: PaymentState, id: string, operation: OperationState): PaymentState => ({
  ...state,
  operations: withMember(state.operations, id, operation),
});

/** Records that a refund was named, with what `change` adds; past the limit a new refund only marks the payment. */
const withRefund = (
  state: PaymentState,
  id: string,
  at: EpochMs,
  change: (refund: RefundState) => Partial<RefundState>,
): PaymentState => {
  const held = own(state.refunds, id);
  if (held === undefined && Object.keys(state.refunds).length >= MAX_REFUNDS) return { ...state, isLimited: true };
  const before: RefundState = held ?? { seenAt: at };
  const refund: RefundState = { ...before, ...change(before), seenAt: Math.min(before.seenAt, at) };
  return { ...state, refunds: withMember(state.refunds, id, refund) };
};

const folded = (
  facts: RefundFacts,
  from: { at: EpochMs; sha256: string; source: FoldedFacts['source'] },
): FoldedFacts => ({
  facts,
  at: from.at,
  sha256: from.sha256,
  source: from.source,
});

/** Adds to a small sorted set by digest; the earlier of two equal entries stays. Past `most` the latest are dropped. */
const insert = <T extends { at: EpochMs; sha256: string }>(
  held: readonly T[],
  entry: T,
  most: number,
): readonly T[] => {
  const same = held.find((one) => one.sha256 === entry.sha256);
  if (same !== undefined && same.at <= entry.at) return held;
  const others = same === undefined ? held : held.filter((one) => one !== same);
  return [...others, entry].sort((a, b) => a.at - b.at || orderText(a.sha256, b.sha256)).slice(0, most);
};

const startFrom = (seen: StartedObservation): OperationStart => ({
  contract: seen.contract,
  createdAt: seen.createdAt,
  at: seen.at,
  idempotencyKey: seen.idempotencyKey,
  input: seen.input,
  handoff: seen.handoff,
  observeFrom: seen.observeFrom,
  refused: seen.refused,
  identity: seen.identity,
  source: seen.source,
});

/**
 * Of two starts of one id the first stands, and "first" is by created_at, so that it does not depend on the order of arrival.
 * A refused start stands behind any other: the corrected one takes its place.
 */
const stands = (a: OperationStart, b: OperationStart): boolean => {
  if ((a.refused === null) !== (b.refused === null)) return a.refused === null;
  return a.at !== b.at ? a.at < b.at : a.identity < b.identity;
};

const applyStarted = (state: PaymentState, seen: StartedObservation): Applied => {
  const operation = operationOf(state, seen.operationId);
  const held = operation.start;
  const offered = startFrom(seen);
  if (held === null) {
    return { state: withOperation(state, seen.operationId, { ...operation, start: offered }), rejection: null };
  }
  const start = stands(offered, held) ? offered : held;
  const lost = start === held ? offered : held;
  if (held.identity === seen.identity || lost.refused !== null) {
    const rivals = operation.rivals.filter((one) => one.identity !== start.identity);
    const isSame = start === held && rivals.length === operation.rivals.length;
    return {
      state: isSame ? state : withOperation(state, seen.operationId, { ...operation, start, rivals }),
      rejection: null,
    };
  }
  const others = operation.rivals.filter((one) => one.identity !== lost.identity && one.identity !== start.identity);
  const same = operation.rivals.find((one) => one.identity === lost.identity);
  const rival = { identity: lost.identity, at: Math.min(lost.at, same?.at ?? lost.at) };
  const rivals = [...others, rival].sort((a, b) => orderText(a.identity, b.identity)).slice(0, MAX_RIVALS);
  return {
    state: withOperation(state, seen.operationId, { ...operation, start, rivals }),
    rejection: {
      code: 'OPERATION_CONFLICT',
      reason:
        `operation_id ${seen.operationId} was started twice with another contract, input, idempotency key or handoff; ` +
        `the one created first (${start.createdAt}) stands`,
    },
  };
};

const applyActed = (state: PaymentState, seen: ActedObservation): PaymentState => {
  const operation = operationOf(state, seen.operationId);
  const entry: ActionEntry = {
    at: seen.at,
    completedAt: seen.completedAt,
    sha256: seen.sha256,
    result: seen.result,
    refundId: seen.facts?.refundId ?? null,
    error: seen.error,
  };
  const actions = insert(operation.actions, entry, MAX_ACTIONS);
  const next =
    actions === operation.actions ? state : withOperation(state, seen.operationId, { ...operation, actions });
  const facts = seen.facts;
  if (facts === null) return next;
  return withRefund(next, facts.refundId, seen.at, (refund) => ({ acted: greater(refund.acted, folded(facts, seen)) }));
};

/** By arrival, then key: the order of the log must not show. */
const sorted = (events: EventEntry[]): EventEntry[] => events.sort((a, b) => a.at - b.at || orderText(a.key, b.key));

const applyEvent = (state: PaymentState, seen: EventObservation): PaymentState => {
  const index = state.events.findIndex((event) => event.key === seen.dedupeKey);
  const held = state.events[index];
  const entry: EventEntry = {
    key: seen.dedupeKey,
    id: seen.eventId,
    type: seen.type,
    role: seen.role,
    refundId: seen.facts?.refundId ?? null,
    status: seen.facts?.status ?? null,
    occurredAt: seen.occurredAt,
    at: seen.at,
    sha256: seen.sha256,
    source: seen.source,
  };
  let next = state;
  if (held !== undefined) {
    const id = entry.refundId ?? '';
    const dropped = withMember(state.dropped, id, (own(state.dropped, id) ?? 0) + 1);
    const isFirst = seen.at < held.at || (seen.at === held.at && seen.sha256 < held.sha256);
    next = { ...state, dropped, events: isFirst ? sorted(state.events.with(index, entry)) : state.events };
  } else if (state.events.length >= MAX_EVENTS) {
    return { ...state, isLimited: true };
  } else {
    next = { ...state, events: sorted([...state.events, entry]) };
  }
  const facts = seen.facts;
  // A reversal or dispute carries a refund-shaped resource and is not the merchant's refund: a finding, never counted.
  if (facts === null || seen.role !== 'refund' || facts.state === 'no_money') return next;
  return withRefund(next, facts.refundId, seen.at, (refund) => ({
    event: greaterEvent(refund.event, folded(facts, seen)),
  }));
};

const NO_POLL: PollState = { attempts: 0, answeredAt: null, erroredAt: null, retryAt: null };

const latest = (held: EpochMs | null, at: EpochMs): EpochMs => (held === null ? at : Math.max(held, at));

const pollAfter = (poll: PollState, seen: ReadObservation): PollState => {
  if (seen.outcome === 'error') {
    const retryAfterMs = seen.error?.retryAfterMs ?? null;
    return {
      ...poll,
      erroredAt: latest(poll.erroredAt, seen.at),
      retryAt: retryAfterMs === null ? poll.retryAt : latest(poll.retryAt, seen.at + retryAfterMs),
    };
  }
  return {
    ...poll,
    attempts: Math.max(poll.attempts, seen.attempt ?? 1),
    answeredAt: latest(poll.answeredAt, seen.at),
  };
};

const applyRead = (state: PaymentState, seen: ReadObservation): PaymentState => {
  const operation = operationOf(state, seen.operationId);
  const poll = pollAfter(own(operation.polls, seen.channel) ?? NO_POLL, seen);
  let next = withOperation(state, seen.operationId, {
    ...operation,
    polls: { ...operation.polls, [seen.channel]: poll },
  });
  if (seen.outcome !== 'ok' || seen.body === null) return next;
  if (seen.isList) {
    const refundIds = seen.facts.map((facts) => facts.refundId).sort();
    const held = own(next.lists, seen.channel);
    const isNewer = held === undefined || held.at < seen.at || (held.at === seen.at && held.sha256 < seen.sha256);
    // A page of a longer list tells of its refunds but proves no absence.
    if (isNewer && seen.isPartial !== true) {
      const list = { at: seen.at, sha256: seen.sha256, source: seen.source, body: seen.body, refundIds };
      next = { ...next, lists: { ...next.lists, [seen.channel]: list } };
    }
    for (const facts of seen.facts) {
      if (facts.state === 'no_money') continue;
      next = withRefund(next, facts.refundId, seen.at, (refund) => ({
        listed: greater(refund.listed, folded(facts, seen)),
      }));
    }
    return next;
  }
  const [facts] = seen.facts;
  if (facts === undefined) return next;
  const id = facts.refundId;
  // Admission refuses an answer that names another refund than was asked for; here it would be evidence of neither.
  if (seen.resourceId !== null && seen.resourceId !== id) return next;
  const read: FoldedRead = { ...folded(facts, seen), body: seen.body };
  return withRefund(next, id, seen.at, (refund) => ({
    reads: { ...refund.reads, [seen.channel]: greater(own(refund.reads ?? {}, seen.channel), read) },
  }));
};

const applyReview = (state: PaymentState, seen: ReviewObservation): PaymentState => {
  const operation = operationOf(state, seen.operationId);
  const { at, answers, decision, reason, reviewer, decidedAt, sha256 } = seen;
  const entry = { at, answers, decision, reason, reviewer, decidedAt, sha256 };
  const reviews = insert(operation.reviews, entry, MAX_REVIEWS);
  return reviews === operation.reviews ? state : withOperation(state, seen.operationId, { ...operation, reviews });
};

/** Whether `answers` can be a verdict id of this operation: `<payment key>/<operation id>:<revision>`. */
const isAddressed = (verdictKey: string, answers: string): boolean =>
  answers.startsWith(`${verdictKey}:`) && /^[1-9]\d{0,8}$/.test(answers.slice(verdictKey.length + 1));

/** Records one observation. Pure; the state given is not changed. */
export const applyObservation = (state: PaymentState, seen: Observation): Applied => {
  const touched = seen.at > state.touchedAt ? { ...state, touchedAt: seen.at } : state;
  switch (seen.kind) {
    case 'started':
      return applyStarted(touched, seen);
    case 'acted':
      return { state: applyActed(touched, seen), rejection: null };
    case 'event':
      return { state: applyEvent(touched, seen), rejection: null };
    case 'read':
      return { state: applyRead(touched, seen), rejection: null };
    case 'receipt':
      return { state: applyReceipt(touched, seen), rejection: null };
    case 'handoff':
      // No evidence: what is decided of it is recorded with the decision (`ask-handoff.ts`).
      return { state: touched, rejection: null };
    case 'review': {
      const key = `${paymentKey(state)}/${seen.operationId}`;
      if (!isAddressed(key, seen.answers)) {
        const reason = `answers: was ${JSON.stringify(seen.answers.slice(0, 200))}, should be a verdict id of ${key}`;
        return { state, rejection: { code: 'REVIEW_MISADDRESSED', reason } };
      }
      return { state: applyReview(touched, seen), rejection: null };
    }
  }
};
