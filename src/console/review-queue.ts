import type { JudgedCondition, VerdictRecord } from '../evaluator/index.ts';
import type { PresentState } from './present.ts';

/** What a person is asked, with what is known and what is missing. */
export interface ReviewQuestion {
  /** as it was published */
  readonly verdict: VerdictRecord;
  /** what it comes to now; null where only what was published is at hand, and `known` and `missing` are then of that time */
  readonly present: PresentState | null;
  /** conditions and contradictions that came out one way or the other */
  readonly known: readonly JudgedCondition[];
  /** conditions and contradictions of which nothing can be said, each with why */
  readonly missing: readonly JudgedCondition[];
}

/** Whether a rule says something: that a contradiction does not hold, or a state does not apply, is no news to a reviewer. */
const isTelling = ({ kind, result }: JudgedCondition): boolean =>
  result !== 'unknown' && (kind === 'verified' || result === 'true');

export const questionOf = (verdict: VerdictRecord, present: PresentState | null): ReviewQuestion => {
  const { conditions } = present ?? verdict;
  return {
    verdict,
    present,
    known: conditions.filter(isTelling),
    missing: conditions.filter(({ kind, result }) => result === 'unknown' && kind !== 'state'),
  };
};

export const oldestFirst = (verdicts: readonly VerdictRecord[]): VerdictRecord[] =>
  [...verdicts].sort((a, b) => Date.parse(a.decided_at) - Date.parse(b.decided_at));

/** The verdicts that wait for a person: the read model of the review queue. Holds no other. */
export class ReviewQueue {
  readonly #waiting = new Map<string, VerdictRecord>();

  /** Takes revisions in the order of their publication; the last one of an operation counts. */
  apply(verdict: VerdictRecord): void {
    const key = `${verdict.payment_key}/${verdict.operation_id}`;
    if (verdict.escalated_to === null) this.#waiting.delete(key);
    else this.#waiting.set(key, verdict);
  }

  /** Oldest first. */
  list(): VerdictRecord[] {
    return oldestFirst([...this.#waiting.values()]);
  }
}

/** `<payment key>/<operation id>` of a verdict id; null where it is none. */
export const operationOfVerdict = (verdictId: string): string | null => {
  const match = /^(.+):[1-9]\d*$/.exec(verdictId);
  return match?.[1] ?? null;
};
