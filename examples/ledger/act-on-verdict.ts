import type { VerdictRecord } from 'countersign';

/** Money that left the merchant, as the verdict names it. `amount` is in the provider's own form. */
export interface Refunded {
  readonly refund: string;
  readonly amount: string;
  readonly currency: string;
}

/** A line of the journal; lines are only ever added. */
export interface Posting extends Refunded {
  readonly kind: 'post' | 'undo';
  readonly operation: string;
  /** the verdict that it was made for */
  readonly verdict: string;
}

/** What the ledger holds of one operation. */
export interface Held {
  /** the highest revision that was acted on */
  readonly revision: number;
  /** what is posted now; null: nothing */
  readonly posted: Refunded | null;
  /** why a person has to look; null: nobody has to */
  readonly exception: string | null;
}

const refundedOf = ({ refund }: VerdictRecord): Refunded | null =>
  refund === null ? null : { refund: refund.id, amount: String(refund.amount), currency: refund.currency ?? '' };

const isSame = (one: Refunded | null, other: Refunded | null): boolean =>
  one?.refund === other?.refund && one?.amount === other?.amount && one?.currency === other?.currency;

/** What should stand in the ledger by this verdict, given what stands there. */
const shouldBePosted = (verdict: VerdictRecord, posted: Refunded | null): Refunded | null => {
  if (verdict.money_moved !== true) return null;
  if (verdict.verdict === 'VERIFIED') return refundedOf(verdict);
  // The money went twice: the first time is still true, and the second is the exception's business.
  if (verdict.class === 'duplicate_side_effect') return posted;
  return null;
};

const exceptionOf = (verdict: VerdictRecord): string | null => {
  if (verdict.class === 'duplicate_side_effect')
    return `refunded more than once, also as ${verdict.duplicates.ids.join(', ')}`;
  const isForPerson = verdict.verdict === 'CONTRADICTED' || verdict.escalated_to !== null;
  return isForPerson ? `${verdict.reason}: ${verdict.detail}` : null;
};

/**
 * Acts on the difference between what is held and what a verdict says. Revisions may be missing (the topic is compacted) and may
 * come again: null for one that is no news.
 */
export const actOnVerdict = (
  operation: string,
  held: Held | null,
  verdict: VerdictRecord,
): { readonly held: Held; readonly postings: readonly Posting[] } | null => {
  if (held !== null && verdict.revision <= held.revision) return null;
  const before = held?.posted ?? null;
  const after = shouldBePosted(verdict, before);
  const line = (kind: Posting['kind'], refunded: Refunded | null): Posting[] =>
    refunded === null ? [] : [{ kind, operation, verdict: verdict.verdict_id, ...refunded }];
  return {
    held: { revision: verdict.revision, posted: after, exception: exceptionOf(verdict) },
    postings: isSame(before, after) ? [] : [...line('undo', before), ...line('post', after)],
  };
};
