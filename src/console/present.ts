import {
  type ContractSet,
  correlationOf,
  describeJudgement,
  type EpochMs,
  evidenceOf,
  findingsOf,
  type JudgedCondition,
  type JudgedOperation,
  judgeOperation,
  type PaymentState,
  printInstant,
  refundOf,
  refundsSeen,
  type VerdictRecord,
  viewPayment,
} from '../evaluator/index.ts';
import type { ToldVerdict } from './told-verdict.ts';

/**
 * What an operation comes to at a later instant than its last revision was decided. A published verdict is never changed; while it
 * is open, evidence goes on arriving that moves conditions without making a revision.
 */
export interface PresentState {
  /** instant */
  readonly as_of: string;
  readonly verdict: VerdictRecord['verdict'];
  readonly reason: string;
  readonly detail: string;
  readonly refund: VerdictRecord['refund'];
  readonly correlation: VerdictRecord['correlation'];
  readonly conditions: readonly JudgedCondition[];
  readonly evidence: VerdictRecord['evidence'];
  readonly refunds_seen: VerdictRecord['refunds_seen'];
  readonly duplicates: VerdictRecord['duplicates'];
  readonly findings: VerdictRecord['findings'];
}

/** Whether the verdict still waits for something: evidence, or a person. */
export const isWaiting = ({
  verdict,
  escalated_to: escalatedTo,
}: Pick<ToldVerdict, 'verdict' | 'escalated_to'>): boolean =>
  verdict === 'PENDING' || verdict === 'UNVERIFIABLE' || escalatedTo !== null;

/** One operation of a payment, judged at `now`; null where the payment holds no start of it. */
export const judgedAt = (
  contracts: ContractSet,
  state: PaymentState,
  operationId: string,
  now: EpochMs,
): JudgedOperation | null => {
  const view = viewPayment(state, contracts);
  const operation = view.operations.get(operationId);
  return operation === undefined ? null : judgeOperation(view, operation, now);
};

/**
 * The present state beside a verdict that waits, or of which not all is known that was published; null for another, and where it
 * cannot be told.
 */
export const presentOf = (
  last: ToldVerdict | null,
  judged: JudgedOperation | null,
  now: EpochMs,
): PresentState | null => {
  if (last === null || judged === null || !(isWaiting(last) || last.evidence === undefined)) return null;
  const { evaluation, subject } = judged;
  const seen = subject === null ? [] : refundsSeen(subject);
  return {
    as_of: printInstant(now),
    verdict: evaluation.verdict,
    reason: evaluation.reason,
    detail: evaluation.detail(),
    refund: subject === null ? null : refundOf(subject),
    correlation: subject === null ? null : correlationOf(subject),
    conditions: describeJudgement(evaluation.judgement),
    evidence: subject === null ? [] : evidenceOf(subject),
    refunds_seen: { ids: seen, count: seen.length },
    duplicates: { ids: evaluation.duplicates, count: evaluation.duplicates.length },
    findings: subject === null ? [] : findingsOf(subject, evaluation.verdict),
  };
};
