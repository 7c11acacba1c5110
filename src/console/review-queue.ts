import type { JudgedCondition, VerdictRecord } from '../evaluator/index.ts';

/** What a person is asked, with what is known and what is missing. */
export interface ReviewQuestion {
  readonly verdict: VerdictRecord;
  /** conditions and contradictions that came out one way or the other */
  readonly known: readonly JudgedCondition[];
  /** conditions and contradictions of which nothing can be said, each with why */
  readonly missing: readonly JudgedCondition[];
}

/** Whether a rule says something: that a contradiction does not hold, or a state does not apply, is no news to a reviewer. */
const isTelling = ({ kind, result }: JudgedCondition): boolean =>
  result !== 'unknown' && (kind === 'verified' || result === 'true');

export const questionOf = (verdict: VerdictRecord): ReviewQuestion => ({
  verdict,
  known: verdict.conditions.filter(isTelling),
  missing: verdict.conditions.filter(({ kind, result }) => result === 'unknown' && kind !== 'state'),
});

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
  list(): ReviewQuestion[] {
    const at = (verdict: VerdictRecord): number => Date.parse(verdict.decided_at);
    return [...this.#waiting.values()].sort((a, b) => at(a) - at(b)).map(questionOf);
  }
}

/** `<payment key>/<operation id>` of a verdict id; null where it is none. */
export const operationOfVerdict = (verdictId: string): string | null => {
  const match = /^(.+):[1-9]\d*$/.exec(verdictId);
  return match?.[1] ?? null;
};
