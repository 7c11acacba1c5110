import { predates } from './correlation.ts';
import type { Subject } from './observed.ts';

/** Whether the bound refund's state rests on a read that came too soon to disprove. */
export const lifeIsOpen = ({ refund, staleUntil }: Subject): boolean =>
  refund?.isRead === true && refund.at < staleUntil;

/**
 * True when the provider itself (E2 or better) shows this operation's refund complete under a contract whose level proves
 * money; false when it shows it dead, or holds none; else null.
 */
export const moneyMoved = (subject: Subject, reason: string): boolean | null => {
  if (reason === 'provider_holds_no_refund') return false;
  const { refund } = subject;
  if (refund === undefined || !refund.isSeenAtProvider || subject.binding?.isClaimedByOther === true) return null;
  // A refund older than the operation is not this operation's, whatever it says.
  if (predates(refund, subject.operation) === true) return null;
  if (refund.state === 'dead') return lifeIsOpen(subject) ? null : false;
  if (refund.state !== 'complete') return null;
  return subject.contract.contract.proves_money ? true : null;
};
