import type { DueRead, EpochMs } from '../../evaluator/index.ts';
import type {
  AppliedOffsets,
  CommitResult,
  PendingVerdict,
  ShardClaim,
  ShardCommit,
  StateWrite,
} from '../../ports/shard-store.ts';
import { ownerToken, tokenNumber } from '../owner-token.ts';
import { assertCommit, claimAfter, sameApplied, wholeMs } from '../shard-commit.ts';
import { PaymentTable } from './payment-table.ts';
import { firstClaimableAt, restated } from './read-entry.ts';

/** One shard in memory. Every method runs to its end without waiting, so that a commit is atomic. */
export class Shard {
  #token = '';
  #sequence = 0;
  #applied: AppliedOffsets = {};
  #nextVerdict = 1;
  #pending: PendingVerdict[] = [];
  #last: ShardCommit | null = null;
  streamTime: EpochMs = 0;
  payments = new PaymentTable();

  claim(shard: number, owner: string, nowMs: number): ShardClaim & { readonly streamTime: EpochMs } {
    this.#token = ownerToken(this.#token, owner, nowMs);
    return {
      shard,
      token: this.#token,
      sequence: this.#sequence,
      applied: { ...this.#applied },
      nextVerdict: this.#nextVerdict,
      streamTime: this.streamTime,
    };
  }

  isOwnedBy(token: string): boolean {
    return this.#token === token;
  }

  commit(commit: ShardCommit): CommitResult {
    assertCommit(commit);
    const { claim } = commit;
    if (this.#token !== claim.token)
      return { outcome: tokenNumber(this.#token) < tokenNumber(claim.token) ? 'rewound' : 'fenced' };
    if (this.#isLast(commit)) return { outcome: 'already', claim: claimAfter(commit) };
    if (
      this.#sequence !== claim.sequence ||
      !sameApplied(this.#applied, claim.applied) ||
      claim.nextVerdict < this.#nextVerdict
    )
      return { outcome: 'rewound' };
    this.#write(commit);
    return { outcome: 'committed', claim: claimAfter(commit) };
  }

  pendingVerdicts(limit: number): readonly PendingVerdict[] {
    return this.#pending.slice(0, limit);
  }

  trimVerdicts(sequence: number): void {
    const kept = this.#pending.findIndex((verdict) => verdict.sequence > sequence);
    this.#pending.splice(0, kept === -1 ? this.#pending.length : kept);
  }

  clone(): Shard {
    const copy = new Shard();
    copy.#token = this.#token;
    copy.#sequence = this.#sequence;
    copy.#applied = this.#applied;
    copy.#nextVerdict = this.#nextVerdict;
    copy.#pending = this.#pending.slice();
    copy.#last = this.#last;
    copy.streamTime = this.streamTime;
    copy.payments = this.payments.clone();
    return copy;
  }

  #isLast(commit: ShardCommit): boolean {
    return (
      this.#last !== null &&
      this.#sequence === commit.claim.sequence + 1 &&
      (this.#last === commit || same(this.#last, commit))
    );
  }

  #write(commit: ShardCommit): void {
    this.streamTime = Math.max(this.streamTime, wholeMs(commit.streamTime));
    for (const write of commit.writes) this.#writeState(write, wholeMs(commit.streamTime));
    this.payments.sweep(commit.writes.length, this.streamTime);
    for (const [index, verdict] of commit.verdicts.entries())
      this.#pending.push({ ...verdict, sequence: commit.claim.nextVerdict + index });
    const after = claimAfter(commit);
    this.#sequence = after.sequence;
    this.#applied = after.applied;
    this.#nextVerdict = after.nextVerdict;
    this.#last = commit;
  }

  #writeState(write: StateWrite, streamTime: EpochMs): void {
    const { payments } = this;
    const expiresAt = write.expiresAt === null ? Number.POSITIVE_INFINITY : wholeMs(write.expiresAt);
    if (expiresAt <= streamTime) {
      payments.delete(write.paymentKey);
      return;
    }
    const slot = payments.set(write.paymentKey, write.value, expiresAt);
    if (write.evaluateAt === null) payments.evaluations.delete(slot);
    else payments.evaluations.set(slot, wholeMs(write.evaluateAt));
    if (write.unresolvedSince === undefined) payments.unresolved.delete(slot);
    else payments.unresolved.set(slot, wholeMs(write.unresolvedSince));
    const reads = restated(payments.readsOf(slot), write.reads.map(wholeRead));
    payments.setReads(slot, reads);
    const first = firstClaimableAt(reads);
    if (first === null) payments.dueReads.delete(slot);
    else payments.dueReads.set(slot, first);
  }
}

const wholeRead = (read: DueRead): DueRead =>
  Number.isSafeInteger(read.dueAt) ? read : { ...read, dueAt: wholeMs(read.dueAt) };

/** Equal in everything that would be written. */
const same = (a: ShardCommit, b: ShardCommit): boolean => {
  const text = ({ applied, ...rest }: ShardCommit): string =>
    JSON.stringify([rest.claim.nextVerdict, rest.streamTime, rest.writes, rest.verdicts]);
  return sameApplied(a.applied, b.applied) && text(a) === text(b);
};
