import type { RefundView } from './fold.ts';
import { printInstant } from './instant.ts';
import type { EpochMs } from './observation.ts';
import type { Subject } from './observed.ts';
import type { Finding, FindingCode } from './verdict.ts';

const finding = (code: FindingCode, refundId: string | null, detail: string, at: EpochMs): Finding => ({
  code,
  refund_id: refundId,
  detail,
  observed_at: printInstant(at),
});

/** An amount as the provider states it, in words. */
export const moneyText = ({ amount, currency }: RefundView): string =>
  amount === null ? 'an amount not stated' : `${amount} ${currency ?? ''}`.trim();

/** The live unowned refund that an operation without one might own: to read and to show a reviewer, never proof. */
export const weakCandidate = (subject: Subject): RefundView | null => {
  const [only = null, ...others] = subject.count.candidates;
  return subject.binding === null && others.length === 0 ? only : null;
};

/** What is true and worth telling but does not decide the verdict. */
export const findingsOf = (subject: Subject, verdict: string): Finding[] => {
  const found: Finding[] = [];
  const { payment } = subject.view;
  for (const event of payment.events) {
    if (event.role === 'reversal') {
      const detail = `The provider itself took the money back (${event.type}). This is not the merchant's refund.`;
      found.push(finding('reversal_seen', event.refundId, detail, event.at));
    } else if (event.role === 'dispute') {
      found.push(finding('dispute_seen', null, `The payer disputes the payment (${event.type}).`, event.at));
    }
  }
  for (const refund of subject.count.unclaimed) {
    const detail = `A refund of ${moneyText(refund)} that no operation owns; its amount is not this operation's.`;
    found.push(finding('unclaimed_refund', refund.id, detail, refund.seenAt));
  }
  for (const refund of subject.count.ambiguous) {
    const detail = `A refund of ${moneyText(refund)} that another open operation of the payment could own.`;
    found.push(finding('ambiguous_owner', refund.id, detail, refund.seenAt));
  }
  const candidate = weakCandidate(subject);
  if (candidate !== null) {
    const detail = `A refund of ${moneyText(candidate)} agrees with the intent but nothing strong ties it to the operation.`;
    found.push(finding('weak_candidate', candidate.id, detail, candidate.seenAt));
  }
  if (verdict === 'FAILED') {
    for (const refund of subject.count.counted) {
      const detail = `The operation's own refund failed, but a refund of ${moneyText(refund)} is live. Do not retry before a person has looked.`;
      found.push(finding('live_refund_beside_failure', refund.id, detail, refund.seenAt));
    }
  }
  const [rival] = subject.operation.state.rivals;
  if (rival !== undefined) {
    const detail = 'The operation id was started a second time with another intent; the one created first stands.';
    found.push(finding('operation_conflict', null, detail, rival.at));
  }
  if (payment.isLimited) {
    found.push(finding('state_limit', null, 'More refunds or events of the payment than are kept.', payment.touchedAt));
  }
  return found.slice(0, 50);
};
