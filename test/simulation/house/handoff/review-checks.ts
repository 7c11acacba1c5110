import type { VerdictRecord } from '../../../../src/evaluator/index.ts';
import type { ReviewDecided } from '../../../../src/records/records.ts';
import type { Breach } from '../../oracle.ts';
import type { Run } from '../../run.ts';
import type { House } from '../house.ts';

const breachOf = (operationId: string, text: string): Breach => ({
  rule: 'review_wrong',
  operationId,
  text: `${operationId}: ${text}`,
});

/** What a revision by review says must have been decided by somebody, and moves no money of itself. */
const checkRevision = (id: string, verdict: VerdictRecord, decisions: readonly ReviewDecided[], hasRefund: boolean) => {
  if (verdict.basis !== 'review') return [];
  const isDecided = decisions.some(({ decision }) => decision === verdict.verdict);
  return [
    ...(isDecided ? [] : [breachOf(id, `nobody decided ${verdict.verdict} by ${verdict.decided_at}`)]),
    ...(verdict.money_moved !== true || hasRefund
      ? []
      : [breachOf(id, `money moved by the word of a reviewer, ${verdict.verdict_id}`)]),
  ];
};

/** Where the evidence alone decides nothing, the last decision stands. */
const checkLast = (id: string, last: VerdictRecord, decisions: readonly ReviewDecided[]): Breach[] => {
  const at = Math.max(...decisions.map(({ decided_at }) => Date.parse(decided_at)));
  // Of two at one instant either may be the last.
  const latest = decisions.filter(({ decided_at }) => Date.parse(decided_at) === at);
  const said = latest.map(({ decision }) => decision).join(' or ');
  if (latest.length === 0) return [];
  if (last.basis === 'review')
    return latest.some(({ decision }) => last.verdict === decision)
      ? []
      : [breachOf(id, `it ends ${last.verdict} by review, and the last decision is ${said}`)];
  const isOpen = last.verdict === 'PENDING' || last.verdict === 'UNVERIFIABLE';
  return isOpen && last.money_moved !== false
    ? [breachOf(id, `it ends ${last.verdict}, and somebody had decided ${said}`)]
    : [];
};

/** Decisions of people on operations of which no provider tells anything. */
export const checkReviews = (house: House, others: Pick<Run, 'verdicts'>): Breach[] =>
  house.desk.deskPlan.plain.flatMap(({ operation }): Breach[] => {
    const { id } = operation;
    const verdicts = others.verdicts.map(({ verdict }) => verdict).filter((verdict) => verdict.operation_id === id);
    const own = `${verdicts[0]?.payment_key}/${id}:`;
    const decisions = house.desk.reviews.filter((one) => one.operation_id === id && one.answers.startsWith(own));
    const last = verdicts.at(-1);
    if (last === undefined) return [breachOf(id, 'no verdict was published of it')];
    const hasRefund = operation.payment.refunds.length > 0;
    return [
      ...verdicts.flatMap((verdict) => checkRevision(id, verdict, decisions, hasRefund)),
      ...checkLast(id, last, decisions),
    ];
  });
