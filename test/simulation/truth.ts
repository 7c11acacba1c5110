import type { EpochMs } from '../../src/evaluator/index.ts';
import type { Evidence } from './evidence.ts';
import {
  createdAt,
  isFinallyLive,
  isSame,
  refundsMadeBy,
  type TrueOperation,
  type TrueRefund,
  type World,
  wasEverDead,
} from './world.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** A refund made so long before an operation that no clock's skew could hide it. */
const CLEARLY_BEFORE_MS = 120_000;

export const ownRefunds = (world: World, operation: TrueOperation): readonly TrueRefund[] =>
  refundsMadeBy(world, operation.id);

export const isRightMoney = (operation: TrueOperation, refund: TrueRefund): boolean =>
  refund.payment === operation.payment && isSame(refund.money, operation.money);

/** One operation is the other's intent done again without knowing how it went. */
export const isRetryPair = (one: TrueOperation, other: TrueOperation): boolean =>
  one.retryOf === other.id || other.retryOf === one.id;

/** Refunds of the same money on the same payment since the operation started. */
const equalRefunds = (operation: TrueOperation): TrueRefund[] =>
  operation.payment.refunds.filter(
    (refund) => isRightMoney(operation, refund) && createdAt(refund) > operation.createdAt - CLEARLY_BEFORE_MS,
  );

const makerOf = (operation: TrueOperation, refund: TrueRefund): TrueOperation | undefined =>
  operation.payment.operations.find(({ id }) => id === refund.madeBy);

/** The live refunds besides `own` by which this operation's money truly went more than once. */
export const extraRefunds = (operation: TrueOperation, own: TrueRefund | null): TrueRefund[] =>
  equalRefunds(operation).filter((refund) => {
    if (refund === own || !isFinallyLive(refund)) return false;
    const maker = makerOf(operation, refund);
    if (maker === undefined) return refund.madeBy === null;
    return maker === operation || isRetryPair(maker, operation);
  });

/**
 * From when an outside observer must know that a refund is one too many for the operation: once it was told of, and once no
 * other operation of the same money can be thought to own it. Infinity: never.
 */
export const extraKnownAt = (evidence: Evidence, operation: TrueOperation, extra: TrueRefund): EpochMs => {
  let knownAt = evidence.seenAt(extra);
  for (const other of operation.payment.operations) {
    if (other === operation || !isSame(other.money, operation.money)) continue;
    if (other.id === extra.madeBy && isRetryPair(other, operation)) {
      // Until it was published, it could be anything: another line of the order, refunded for good reason.
      knownAt = Math.max(knownAt, evidence.startedAt(other));
      continue;
    }
    if (evidence.startedAt(other) === NEVER) continue;
    knownAt = Math.max(knownAt, evidence.anyReportAt(other));
  }
  return knownAt;
};

/** The one refund of an operation that did what it meant, once; null where the truth is anything else. */
export const goodRefund = (world: World, operation: TrueOperation): TrueRefund | null => {
  const own = ownRefunds(world, operation);
  const [live, ...more] = own.filter(isFinallyLive);
  if (live === undefined || more.length > 0 || wasEverDead(live) || !isRightMoney(operation, live)) return null;
  if (live.changes.at(-1)?.standing !== 'complete' || extraRefunds(operation, live).length > 0) return null;
  if (operation.answers.some(({ refund }) => refund !== null && refund.madeBy !== operation.id)) return null;
  return live;
};

/**
 * From when an outside observer can know that nothing but the good refund is left: every other that was this operation's money
 * going again has died, and its death was told. Infinity: never.
 */
export const extrasDeadAt = (evidence: Evidence, operation: TrueOperation, good: TrueRefund): EpochMs => {
  let deadAt = 0;
  for (const refund of equalRefunds(operation)) {
    if (refund === good || refund.changes.every(({ standing }) => standing === 'dead')) continue;
    const maker = makerOf(operation, refund);
    const isExtra = maker === undefined || maker === operation || isRetryPair(maker, operation);
    if (isExtra) deadAt = Math.max(deadAt, evidence.deadToldAt(refund));
  }
  return deadAt;
};

/** From when an outside observer can lay the refund to another operation that was published. */
const explainedAt = (evidence: Evidence, world: World, operation: TrueOperation, refund: TrueRefund): EpochMs => {
  const maker = makerOf(operation, refund);
  if (maker === undefined || maker === operation) return 0;
  const startedAt = evidence.startedAt(maker);
  // An operation without a known refund explains one.
  const isOnlyOne =
    ownRefunds(world, maker).length === 1 && maker.answers.every((answer) => answer.error !== 'declined');
  return isOnlyOne ? startedAt : Math.max(startedAt, evidence.reportedAt(maker, refund));
};

/** The same of every other refund of the same money. Infinity: never, so that an alarm is not false. */
export const othersExplainedAt = (evidence: Evidence, world: World, operation: TrueOperation): EpochMs =>
  Math.max(0, ...equalRefunds(operation).map((refund) => explainedAt(evidence, world, operation, refund)));

/**
 * Whether at that instant a refund had been without a possible owner for as long as the attribution window. What explains it at the
 * very instant may have been applied after what was judged.
 */
export const isUnexplained = (
  evidence: Evidence,
  world: World,
  operation: TrueOperation,
  at: EpochMs,
  windowMs: number,
): boolean =>
  equalRefunds(operation).some(
    (refund) => explainedAt(evidence, world, operation, refund) >= at && evidence.namedAt(refund, at) + windowMs <= at,
  );
