import type { AppliedOffsets, ShardClaim, ShardCommit } from '../ports/shard-store.ts';

const OFFSET = /^(0|[1-9]\d*)$/;

/** Whether decimal offset `a` lies before `b`. */
const isBefore = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);

/** Times are whole milliseconds in every store; a fraction is rounded up, so that nothing comes early. */
export const wholeMs = (at: number): number => {
  const whole = Math.ceil(at);
  if (!Number.isSafeInteger(whole)) throw new TypeError(`a time is ${at}; it must be milliseconds since the epoch`);
  return whole;
};

/** Throws a TypeError where a commit could not be written as it stands: a mistake in the program, not in its input. */
export const assertCommit = (commit: ShardCommit): void => {
  assertApplied(commit.claim.applied, commit.applied);
  const keys = new Set<string>();
  for (const { paymentKey } of commit.writes) {
    if (paymentKey === '') throw new TypeError('a write names no payment; paymentKey must not be empty');
    if (keys.has(paymentKey))
      throw new TypeError(`${paymentKey} is written twice in one commit; write its last state only`);
    keys.add(paymentKey);
  }
};

const assertApplied = (before: AppliedOffsets, after: AppliedOffsets): void => {
  for (const [topic, offset] of Object.entries(after)) {
    if (!OFFSET.test(offset)) throw new TypeError(`applied offset of ${topic} is "${offset}"; it must be decimal text`);
    if (isBefore(offset, before[topic] ?? '0'))
      throw new TypeError(`applied offset of ${topic} goes back from ${before[topic]} to ${offset}`);
  }
  for (const topic of Object.keys(before))
    if (after[topic] === undefined) throw new TypeError(`applied offset of ${topic} is missing in the commit`);
};

/** Two sets of applied offsets, equal; a topic that is not there is at "0". */
export const sameApplied = (a: AppliedOffsets, b: AppliedOffsets): boolean => {
  for (const topic of Object.keys(a)) if (a[topic] !== (b[topic] ?? '0')) return false;
  for (const topic of Object.keys(b)) if (a[topic] === undefined && b[topic] !== '0') return false;
  return true;
};

/** What the owner knows once its commit is written. */
export const claimAfter = (commit: ShardCommit): ShardClaim => ({
  ...commit.claim,
  sequence: commit.claim.sequence + 1,
  applied: { ...commit.applied },
  nextVerdict: commit.claim.nextVerdict + commit.verdicts.length,
});
