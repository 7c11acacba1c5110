import type { JudgeableOperation, OperationView, PaymentView } from './correlation.ts';
import { predates, staleUntil } from './correlation.ts';
import type { RefundView } from './fold.ts';
import { isSameMoney } from './intent.ts';
import type { EpochMs } from './observation.ts';

/** How many live refunds count against one operation. An open count is an interval. */
export interface RefundCount {
  readonly least: number;
  readonly most: number;
  /** why `least` and `most` differ */
  readonly why: 'attribution_window_open' | 'owner_ambiguous' | 'refund_details_unknown' | null;
  /** refunds that surely count, this operation's own first */
  readonly counted: readonly RefundView[];
  /** refunds of another amount that nobody owns, after their window */
  readonly unclaimed: readonly RefundView[];
  /** refunds of this amount that another open operation could own, after their window */
  readonly ambiguous: readonly RefundView[];
  /** live unowned refunds of this operation's amount: what it could own itself where it has none */
  readonly candidates: readonly RefundView[];
  /** when the next and the last running attribution windows end; null where none runs */
  readonly nextWindowEnd: EpochMs | null;
  readonly openUntil: EpochMs | null;
  /** live or unsure refunds since the start that nobody owns, of any amount */
  readonly unowned: number;
}

type Life = 'live' | 'dead' | 'unsure';

const lifeOf = (refund: RefundView, operation: OperationView): Life => {
  if (refund.state === 'unknown') return 'unsure';
  if (refund.state !== 'dead') return 'live';
  // A lagging read may not disprove.
  return refund.isRead && refund.at < staleUntil(refund.id, refund, operation) ? 'unsure' : 'dead';
};

const createdMs = (refund: RefundView): number => refund.created?.startMs ?? refund.seenAt;

const byId = (a: RefundView, b: RefundView): number => (a.id < b.id ? -1 : 1);
const byCreation = (a: RefundView, b: RefundView): number => createdMs(a) - createdMs(b) || byId(a, b);

/** Since the operation started, and of this payment as far as the refund itself says. */
const isRelevant = (refund: RefundView, operation: OperationView, paymentId: string): boolean =>
  refund.state !== 'no_money' &&
  (refund.paymentId === null || refund.paymentId === paymentId) &&
  predates(refund, operation) !== true;

/** When the operation's own refund was known to its caller; null where it never was. */
const resultKnownAt = (operation: OperationView, refundId: string): EpochMs | null =>
  operation.reported.get(refundId) ?? null;

/**
 * Two operations of the same payment, amount and currency are a double if the second started before the first's result was
 * known (a blind retry under a new key), unless they carry different intent_refs. `unsure`: the first's refund is known by
 * what the provider prints on it alone, so that when its caller heard of it, if ever, nobody can tell yet.
 */
const retryBetween = (view: PaymentView, one: OperationView, other: OperationView): 'blind' | 'unsure' | 'no' => {
  if (one.intent === null || other.intent === null || one.start === null || other.start === null) return 'no';
  if (isSameMoney(one.intent, other.intent) !== true) return 'no';
  const [a, b] = [one.intent.intentRef, other.intent.intentRef];
  if (a !== null && b !== null && a !== b) return 'no';
  const isFirst = one.start.at !== other.start.at ? one.start.at < other.start.at : one.id < other.id;
  const [first, second] = isFirst ? [one, other] : [other, one];
  const bound = view.bindings.get(first.id);
  const knownAt = bound === undefined ? null : resultKnownAt(first, bound.refundId);
  if (knownAt === null) return 'unsure';
  return second.intent !== null && second.intent.createdAt.startMs < knownAt ? 'blind' : 'no';
};

const isBlindRetry = (view: PaymentView, one: OperationView, other: OperationView): boolean =>
  retryBetween(view, one, other) !== 'no';

/** Whether the operation may still own a refund that nobody reported. */
const isWithoutRefund = (view: PaymentView, operation: OperationView): boolean => {
  if (operation.start === null || operation.intent === null || view.bindings.has(operation.id)) return false;
  const { actions } = operation.state;
  return !(actions.length > 0 && actions.every((action) => action.error?.kind === 'declined'));
};

interface Tally {
  least: number;
  most: number;
  why: RefundCount['why'];
  counted: RefundView[];
  /** refunds of other operations that may be this one's intent done again */
  unsure: RefundView[];
}

/** The first of these that holds is told, so that what is told does not depend on the order of the refunds. */
const WHYS: readonly RefundCount['why'][] = [
  'attribution_window_open',
  'refund_details_unknown',
  'owner_ambiguous',
  null,
];

/** A refund that may count. */
const addOpen = (tally: Tally, why: RefundCount['why']): void => {
  tally.most += 1;
  if (WHYS.indexOf(why) < WHYS.indexOf(tally.why)) tally.why = why;
};

const add = (tally: Tally, life: Life, refund: RefundView): void => {
  if (life === 'dead') return;
  if (life === 'unsure') addOpen(tally, 'refund_details_unknown');
  else {
    tally.most += 1;
    tally.least += 1;
    tally.counted.push(refund);
  }
};

/** A refund that another operation owns counts only where the two operations are one intent done twice. */
const addOwnedByOther = (
  tally: Tally,
  view: PaymentView,
  operation: OperationView,
  refund: RefundView,
  ownerId: string,
): void => {
  const owner = view.operations.get(ownerId);
  const own = view.bindings.get(operation.id);
  if (owner === undefined || own === undefined || own.isClaimedByOther) return;
  const retry = retryBetween(view, operation, owner);
  if (view.bindings.get(ownerId)?.refundId !== refund.id || retry === 'no') return;
  const life = lifeOf(refund, owner);
  if (retry === 'blind') add(tally, life, refund);
  else if (life !== 'dead') {
    addOpen(tally, 'owner_ambiguous');
    tally.unsure.push(refund);
  }
};

interface Explained {
  readonly refund: RefundView;
  readonly isBlind: boolean;
}

/** At most one refund to each operation that could own one; the refunds so explained, and whether by a blind retry. */
const explain = (view: PaymentView, operation: JudgeableOperation, refunds: readonly RefundView[]): Explained[] => {
  if (refunds.length === 0) return [];
  const others = [...view.operations.values()].filter(
    (other) =>
      other.id !== operation.id &&
      isWithoutRefund(view, other) &&
      other.intent !== null &&
      isSameMoney(other.intent, operation.intent) === true,
  );
  const free = new Set(others);
  const explained: Explained[] = [];
  for (const refund of refunds) {
    const able = [...free].filter((other) => predates(refund, other) !== true);
    const owner = able.find((other) => !isBlindRetry(view, operation, other)) ?? able[0];
    if (owner === undefined) continue;
    free.delete(owner);
    explained.push({ refund, isBlind: isBlindRetry(view, operation, owner) });
  }
  return explained;
};

/** An unowned refund from before the operation may be the same intent's first attempt, whose answer was lost: then it is a double. */
const addLostBefore = (tally: Tally, view: PaymentView, operation: JudgeableOperation, refund: RefundView): void => {
  if (predates(refund, operation) !== true || isSameMoney(refund, operation.intent) !== true) return;
  if (refund.paymentId !== null && refund.paymentId !== view.payment.paymentId) return;
  if (lifeOf(refund, operation) !== 'live') return;
  const couldOwn = [...view.operations.values()].filter(
    (other) => other.id !== operation.id && isWithoutRefund(view, other) && predates(refund, other) !== true,
  );
  if (!couldOwn.some((other) => isBlindRetry(view, operation, other))) return;
  tally.most += 1;
  tally.why ??= 'owner_ambiguous';
  tally.unsure.push(refund);
};

/** The operation's own refund before the others. */
const ownFirst = (refunds: RefundView[], own: string | undefined): readonly RefundView[] => {
  const [first] = refunds;
  // The usual case: there is one, and it is its own.
  if (own === undefined || first === undefined || first.id === own) return refunds;
  return [...refunds.filter(({ id }) => id === own), ...refunds.filter(({ id }) => id !== own)];
};

/** The count of a payment without a refund. */
const NO_REFUNDS: RefundCount = {
  least: 0,
  most: 0,
  why: null,
  counted: [],
  unclaimed: [],
  ambiguous: [],
  candidates: [],
  nextWindowEnd: null,
  openUntil: null,
  unowned: 0,
};

/** Counts the live refunds of the payment that are this operation's, or look like its money going twice. */
export const countRefunds = (view: PaymentView, operation: JudgeableOperation, now: EpochMs): RefundCount => {
  if (view.refunds.size === 0) return NO_REFUNDS;
  const tally: Tally = { least: 0, most: 0, why: null, counted: [], unsure: [] };
  const unclaimed: RefundView[] = [];
  const settledUnowned: RefundView[] = [];
  const candidates: RefundView[] = [];
  let openUntil: EpochMs | null = null;
  let nextWindowEnd: EpochMs | null = null;
  let unowned = 0;
  const { intent, contract } = operation;
  const windowMs = contract.contract.timing.attribution_window_ms;
  const bound = view.bindings.get(operation.id);

  for (const refund of view.refunds.values()) {
    const owner = view.owners.get(refund.id);
    if (owner === operation.id) {
      if (refund.id !== bound?.refundId && predates(refund, operation) === true) continue;
      add(tally, lifeOf(refund, operation), refund);
      continue;
    }
    if (owner !== undefined) {
      if (refund.state !== 'no_money') addOwnedByOther(tally, view, operation, refund, owner);
      continue;
    }
    if (!isRelevant(refund, operation, view.payment.paymentId)) {
      addLostBefore(tally, view, operation, refund);
      continue;
    }
    const life = lifeOf(refund, operation);
    if (life === 'dead') continue;
    unowned += 1;
    const isSame = isSameMoney(refund, intent);
    const windowEnd = refund.seenAt + windowMs;
    if (isSame === false) {
      if (now >= windowEnd) unclaimed.push(refund);
      else nextWindowEnd = Math.min(nextWindowEnd ?? windowEnd, windowEnd);
      continue;
    }
    if (isSame === true && life === 'live' && refund.createdAt !== null) candidates.push(refund);
    if (now < windowEnd) {
      addOpen(tally, 'attribution_window_open');
      openUntil = Math.max(openUntil ?? windowEnd, windowEnd);
      nextWindowEnd = Math.min(nextWindowEnd ?? windowEnd, windowEnd);
    } else if (isSame === null || life === 'unsure' || refund.createdAt === null) {
      addOpen(tally, 'refund_details_unknown');
    } else settledUnowned.push(refund);
  }

  const explained = explain(view, operation, settledUnowned.sort(byCreation));
  const ambiguous = explained.map(({ refund }) => refund);
  for (const { isBlind } of explained) if (isBlind) addOpen(tally, 'owner_ambiguous');
  for (const refund of settledUnowned) if (!ambiguous.includes(refund)) add(tally, 'live', refund);

  return {
    least: tally.least,
    most: tally.most,
    why: tally.why,
    counted: ownFirst(tally.counted.sort(byCreation), bound?.refundId),
    unclaimed: unclaimed.sort(byId),
    ambiguous: ambiguous.concat(tally.unsure).sort(byId),
    candidates: candidates.sort(byCreation),
    nextWindowEnd,
    openUntil,
    unowned,
  };
};
