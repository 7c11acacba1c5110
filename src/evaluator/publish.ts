import type { VerdictName } from './contract.ts';
import type { Evaluation } from './evaluate.ts';
import type { EpochMs } from './observation.ts';
import type { OperationState, Published, ReviewEntry } from './state.ts';
import { lastPublished } from './state.ts';
import { toldOf } from './told.ts';
import type { VerdictRecord } from './verdict.ts';

/** What a reviewer's decision makes of the evaluated verdict. */
export interface Reviewed {
  readonly evaluation: Evaluation;
  readonly basis: 'evidence' | 'review';
}

/** What a verdict says beside its judgement. */
export type Beside = Pick<VerdictRecord, 'findings' | 'refund'>;

/** What is to be published now; null where nothing new is to be said. */
export interface Publication extends Reviewed {
  readonly beside: Beside;
  readonly published: Published;
  readonly supersedes: number | null;
}

const isOpen = (verdict: VerdictName): boolean => verdict === 'PENDING' || verdict === 'UNVERIFIABLE';

const answered = (operation: OperationState, review: ReviewEntry): Published | undefined => {
  const revision = Number(review.answers.slice(review.answers.lastIndexOf(':') + 1));
  return operation.published.find((one) => one.revision === revision);
};

/**
 * Whether the reviewer who decided the same was told all that the evidence now says: what ended as decided is asked again only
 * where it had gone well in between.
 */
const isSettledBy = ({ published }: OperationState, question: Published | undefined): boolean =>
  question !== undefined &&
  !published.some(({ verdict, revision }) => verdict === 'VERIFIED' && revision > question.revision);

/**
 * A decision stands while the verdict computed without it is PENDING or UNVERIFIABLE, is the one it answered, or agrees.
 * Other evidence speaks for itself and reopens the review: so does a failure that came after the question was put.
 */
export const review = (operation: OperationState, startedAt: EpochMs, evaluation: Evaluation): Reviewed => {
  // Reviews are kept in their own order, the latest last. None answers what had not begun.
  const decision = operation.reviews.at(-1);
  if (decision === undefined || decision.at < startedAt) return { evaluation, basis: 'evidence' };
  const question = answered(operation, decision);
  if (decision.decision === evaluation.verdict) {
    const isAsked = evaluation.escalatedTo !== null && !isSettledBy(operation, question);
    return { evaluation: isAsked ? evaluation : { ...evaluation, escalatedTo: null }, basis: 'evidence' };
  }
  const isTheAnswered =
    question !== undefined &&
    question.verdict === evaluation.verdict &&
    question.class === evaluation.class &&
    question.evaluated === evaluation.reason;
  const isOverruled =
    decision.decision === 'VERIFIED' && evaluation.moneyMoved === false && question?.moneyMoved !== false;
  if ((!isOpen(evaluation.verdict) && !isTheAnswered) || isOverruled) {
    const detail = (): string =>
      `${evaluation.detail()} A reviewer had decided ${decision.decision}; the evidence now says otherwise, so the review is open again.`;
    return { evaluation: { ...evaluation, detail, escalatedTo: 'person' }, basis: 'evidence' };
  }
  return {
    basis: 'review',
    evaluation: {
      ...evaluation,
      verdict: decision.decision,
      class: decision.decision === 'CONTRADICTED' ? (question?.class ?? evaluation.class) : null,
      reason: 'decided_by_reviewer',
      detail: () => `${decision.reviewer} decided: ${decision.reason}`,
      advice: decision.decision === 'VERIFIED' ? 'none' : 'ask_person',
      escalatedTo: null,
    },
  };
};

/**
 * Whether readers know this already. They also act on the advice and on what was found, and a ledger on whether the money moved
 * and on each further duplicate: what a verdict that is out says of these is a revision too (ADR 0004).
 */
const isSame = (last: Published, evaluation: Evaluation, told: () => string): boolean => {
  if (last.verdict !== evaluation.verdict || last.class !== evaluation.class || last.evaluated !== evaluation.reason) {
    return false;
  }
  if (evaluation.verdict === 'PENDING') return true;
  const isMoneySame = last.moneyMoved === evaluation.moneyMoved && last.duplicates === evaluation.duplicates.length;
  const isMoneyOpen = last.moneyMoved === null || evaluation.moneyMoved === null;
  return (isMoneySame || (isOpen(evaluation.verdict) && isMoneyOpen)) && last.told === told();
};

/** Whether a terminal verdict stays out because a running window could still restore it. */
export const isHeld = (last: Published | null, evaluation: Evaluation, now: EpochMs): boolean =>
  last !== null &&
  !isOpen(last.verdict) &&
  isOpen(evaluation.verdict) &&
  evaluation.heldUntil !== null &&
  now < evaluation.heldUntil;

/**
 * A revision is published when verdict, class or reason changes, or what a verdict that is out tells beside them.
 * @param besideOf what is found of the operation, and the refund that is named, under the verdict that is given
 */
export const publication = (
  operation: OperationState,
  startedAt: EpochMs,
  evaluated: Evaluation,
  now: EpochMs,
  besideOf: (verdict: VerdictName) => Beside,
): Publication | null => {
  const { evaluation, basis } = review(operation, startedAt, evaluated);
  const last = lastPublished(operation);
  let known: Beside | null = null;
  const beside = (): Beside => {
    known ??= besideOf(evaluation.verdict);
    return known;
  };
  const told = (): string => {
    const { verdict, advice, duplicates, escalatedTo } = evaluation;
    const { findings, refund } = beside();
    return toldOf({ verdict, advice, duplicates: { ids: duplicates }, findings, refund, escalated_to: escalatedTo });
  };
  if (last !== null && (isSame(last, evaluation, told) || isHeld(last, evaluation, now))) return null;
  const isWithdrawal = last !== null && !isOpen(last.verdict) && evaluation.verdict === 'PENDING';
  const reason = isWithdrawal ? 'withdrawn' : evaluation.reason;
  const detail = isWithdrawal
    ? (): string =>
        `The ${last.verdict} of revision ${last.revision} no longer holds. ${evaluation.reason}: ${evaluation.detail()}`
    : evaluation.detail;
  return {
    basis,
    beside: beside(),
    evaluation: { ...evaluation, reason, detail },
    supersedes: last?.revision ?? null,
    published: {
      revision: (last?.revision ?? 0) + 1,
      verdict: evaluation.verdict,
      class: evaluation.class,
      reason,
      evaluated: evaluation.reason,
      moneyMoved: evaluation.moneyMoved,
      duplicates: evaluation.duplicates.length,
      told: told(),
      at: now,
    },
  };
};
