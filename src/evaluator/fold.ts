import { instantMs, type PrintedInstant, parseInstant } from './instant.ts';
import type { RefundFacts } from './observation.ts';
import { orderText } from './order.ts';
import type { FoldedFacts, RefundState } from './state.ts';

const isTerminal = (facts: RefundFacts): boolean => facts.state === 'complete' || facts.state === 'dead';

/**
 * How new an answer is. A printed update time says so itself. A terminal status without one is as new as its observation,
 * a non-terminal one older than anything: so it never replaces a terminal status.
 */
const freshness = (folded: FoldedFacts): number => {
  const updated = folded.facts.updatedAt === null ? null : instantMs(folded.facts.updatedAt);
  return updated ?? (isTerminal(folded.facts) ? folded.at : Number.NEGATIVE_INFINITY);
};

/**
 * A total order over the answers about one refund: by the provider's update time, then its version, then terminal over
 * not, dead over complete (printed seconds hide which came last, and a refund taken for complete costs money), then the time of
 * observation, then the digest. Total, so that folding commutes.
 */
export const compareFacts = (a: FoldedFacts, b: FoldedFacts): number => {
  const [x, y] = [freshness(a), freshness(b)];
  if (x !== y) return x < y ? -1 : 1;
  return (
    (a.facts.version ?? -1) - (b.facts.version ?? -1) ||
    Number(isTerminal(a.facts)) - Number(isTerminal(b.facts)) ||
    Number(a.facts.state === 'dead') - Number(b.facts.state === 'dead') ||
    a.at - b.at ||
    orderText(a.sha256, b.sha256)
  );
};

export const greater = <T extends FoldedFacts>(held: T | undefined, offered: T): T =>
  held === undefined || compareFacts(held, offered) < 0 ? offered : held;

const AT_NO_TIME = { at: 0 };

/**
 * The greater of two events by what they say. When they arrived counts for nothing, so that a redelivery changes nothing: of
 * one event delivered twice the first arrival is kept.
 */
export const greaterEvent = (held: FoldedFacts | undefined, offered: FoldedFacts): FoldedFacts => {
  if (held === undefined) return offered;
  if (held.sha256 === offered.sha256) return held.at <= offered.at ? held : offered;
  return compareFacts({ ...held, ...AT_NO_TIME }, { ...offered, ...AT_NO_TIME }) < 0 ? offered : held;
};

/**
 * How far an answer that prints no update time may lie behind its observation, by another's printed time: the stale read
 * window and the clock skew of the contracts we ship.
 */
export const LAG_MS = 80_000;

const updatedMs = ({ facts }: FoldedFacts): number | null =>
  facts.updatedAt === null ? null : instantMs(facts.updatedAt);

/**
 * Whether one source of evidence tells of something newer than another. Where only one of them prints an update time, a
 * terminal status is newer than one that is not, and of two terminal ones the printed time counts for all the lag there may be.
 */
export const isNewer = (offered: FoldedFacts, held: FoldedFacts): boolean => {
  const [x, y] = [updatedMs(offered), updatedMs(held)];
  if ((x === null) === (y === null)) return compareFacts(held, offered) < 0;
  const isSettled = isTerminal(offered.facts);
  if (isSettled !== isTerminal(held.facts)) return isSettled;
  if (!isSettled) return x !== null;
  return (x ?? offered.at - LAG_MS) >= (y ?? held.at - LAG_MS);
};

const tellsOtherwise = (teller: FoldedFacts | undefined, answer: FoldedFacts): boolean =>
  teller !== undefined &&
  teller.facts.state !== answer.facts.state &&
  teller.facts.state !== 'unknown' &&
  isNewer(teller, answer);

/** Whether an event, or a list of the payment's refunds, newer than the answer tells of another state. */
export const isOutdated = (answer: FoldedFacts, { event, listed }: RefundState): boolean =>
  tellsOtherwise(event, answer) || tellsOtherwise(listed, answer);

/** Every source's facts of a refund, best first: readbacks, provider events, lists, then the action's own word. */
export const sourcesOf = (refund: RefundState): FoldedFacts[] => {
  const sources: FoldedFacts[] = [];
  if (refund.reads !== undefined) {
    const reads = Object.entries(refund.reads);
    if (reads.length > 1) reads.sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [, read] of reads) sources.push(read);
  }
  if (refund.event !== undefined) sources.push(refund.event);
  if (refund.listed !== undefined) sources.push(refund.listed);
  if (refund.acted !== undefined) sources.push(refund.acted);
  return sources;
};

/** What is known of a refund, all sources together. */
export interface RefundView {
  readonly id: string;
  readonly seenAt: number;
  readonly paymentId: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly otherMoney: RefundFacts['otherMoney'] | undefined;
  readonly createdAt: string | null;
  /** when it was created, as far as `createdAt` can be read */
  readonly created: PrintedInstant | null;
  readonly status: string | null;
  readonly state: RefundFacts['state'];
  readonly echoes: readonly string[];
  /** the time of the observation that `state` comes from, and whether a read or list said it */
  readonly at: number;
  readonly isRead: boolean;
  /** whether E2 or better knows it: anything but the action's own word */
  readonly isSeenAtProvider: boolean;
}

const firstOf = <K extends 'paymentId' | 'amount' | 'currency' | 'createdAt'>(
  sources: readonly FoldedFacts[],
  field: K,
): RefundFacts[K] | null => {
  for (const source of sources) if (source.facts[field] !== null) return source.facts[field];
  return null;
};

const NO_ECHOES: readonly string[] = [];

const echoesOf = (sources: readonly FoldedFacts[]): readonly string[] => {
  let echoes = NO_ECHOES;
  for (const { facts } of sources) if (facts.echoes.length > 0) echoes = [...echoes, ...facts.echoes];
  return echoes;
};

/** One source that states both sums, or one currency alone, settles what another leaves open. */
const otherMoneyOf = (sources: readonly FoldedFacts[]): RefundFacts['otherMoney'] | undefined => {
  let isOpen = false;
  let isSettled = false;
  for (const { facts } of sources) {
    if (facts.amount === null) continue;
    if (facts.otherMoney === undefined) isSettled = true;
    else if (facts.otherMoney === null) isOpen = true;
    else return facts.otherMoney;
  }
  return isOpen && !isSettled ? null : undefined;
};

/** What tells the refund's state best. The action's own word (E1) and a bare list of ids tell nothing of it. */
const bestOf = (sources: readonly FoldedFacts[], acted: FoldedFacts | undefined): FoldedFacts | undefined => {
  let best: FoldedFacts | undefined;
  for (const source of sources) {
    if (source === acted || source.facts.status === null) continue;
    if (best === undefined || isNewer(source, best)) best = source;
  }
  return best ?? acted ?? sources[0];
};

export const viewRefund = (id: string, refund: RefundState): RefundView => {
  const sources = sourcesOf(refund);
  const best = bestOf(sources, refund.acted);
  const onlyActed = best !== undefined && best === refund.acted;
  const createdAt = firstOf(sources, 'createdAt');
  return {
    id,
    seenAt: refund.seenAt,
    paymentId: firstOf(sources, 'paymentId'),
    amount: firstOf(sources, 'amount'),
    currency: firstOf(sources, 'currency'),
    otherMoney: otherMoneyOf(sources),
    createdAt,
    created: createdAt === null ? null : parseInstant(createdAt),
    status: best?.facts.status ?? null,
    state: best === undefined || (onlyActed && best.facts.state === 'dead') ? 'unknown' : best.facts.state,
    echoes: echoesOf(sources),
    at: best?.at ?? refund.seenAt,
    isRead: best !== undefined && best !== refund.event && best !== refund.acted,
    // The action's word is the last of the sources.
    isSeenAtProvider: sources.length > (refund.acted === undefined ? 0 : 1),
  };
};
