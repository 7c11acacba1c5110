import { OperatingError } from '../../errors.ts';
import type { EpochMs } from '../../evaluator/index.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type {
  ClaimedRead,
  CommitResult,
  PendingVerdict,
  ShardClaim,
  ShardCommit,
  ShardId,
  ShardStore,
} from '../../ports/shard-store.ts';
import { claimableAt, firstClaimableAt, type ReadEntry, sameRead } from './read-entry.ts';
import { Shard } from './shard.ts';

/** All shards as they were at one moment; opaque. */
export interface ShardSnapshot {
  readonly shards: ReadonlyMap<ShardId, Shard>;
  readonly partitionCount: number | null;
}

/**
 * The shard store of the embedded mode: in this process's memory, rebuilt from the journal at start. A state expires when its
 * shard's stream time reaches `expiresAt`.
 */
export class MemoryShardStore implements ShardStore {
  readonly #clock: Clock;
  #shards = new Map<ShardId, Shard>();
  #partitionCount: number | null = null;
  #leases = 0;

  /** `clock` only numbers the owner tokens. */
  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  async claim(shard: ShardId, owner: string): Promise<ShardClaim & { readonly streamTime: EpochMs }> {
    return this.#shard(shard).claim(shard, owner, this.#clock.now());
  }

  async owns(shard: ShardId, token: string): Promise<boolean> {
    return this.#shard(shard).isOwnedBy(token);
  }

  async load(shard: ShardId, paymentKeys: readonly string[]): Promise<(string | null)[]> {
    const { payments, streamTime } = this.#shard(shard);
    return paymentKeys.map((key) => {
      const slot = payments.slotOf(key, streamTime);
      return slot === -1 ? null : payments.valueOf(slot);
    });
  }

  async commit(commit: ShardCommit): Promise<CommitResult> {
    return this.#shard(commit.claim.shard).commit(commit);
  }

  async dueEvaluations(
    shard: ShardId,
    upTo: EpochMs,
    limit: number,
  ): Promise<readonly { paymentKey: string; dueAt: EpochMs }[]> {
    const { payments } = this.#shard(shard);
    return payments.evaluations
      .due(upTo, limit)
      .map((slot) => ({ paymentKey: payments.keyOf(slot), dueAt: payments.evaluations.at(slot) ?? upTo }));
  }

  async nextEvaluation(shard: ShardId): Promise<EpochMs | null> {
    const { evaluations } = this.#shard(shard).payments;
    const slot = evaluations.first();
    return slot === -1 ? null : evaluations.at(slot);
  }

  async oldestUnresolved(shard: ShardId): Promise<EpochMs | null> {
    const { unresolved } = this.#shard(shard).payments;
    const slot = unresolved.first();
    return slot === -1 ? null : unresolved.at(slot);
  }

  async pendingVerdicts(shard: ShardId, limit: number): Promise<readonly PendingVerdict[]> {
    return this.#shard(shard).pendingVerdicts(limit);
  }

  async trimVerdicts(shard: ShardId, token: string, sequence: number): Promise<void> {
    const held = this.#shard(shard);
    if (held.isOwnedBy(token)) held.trimVerdicts(sequence);
  }

  async claimReads(shard: ShardId, upTo: EpochMs, leaseUntil: EpochMs, limit: number): Promise<readonly ClaimedRead[]> {
    const { payments } = this.#shard(shard);
    this.#leases += 1;
    const lease = String(this.#leases);
    const claimed: ClaimedRead[] = [];
    for (const slot of payments.dueReads.due(upTo, limit)) {
      const paymentKey = payments.keyOf(slot);
      const entries = payments.readsOf(slot).map((entry): ReadEntry => {
        const at = claimableAt(entry);
        if (claimed.length === limit || at === null || at > upTo) return entry;
        claimed.push({ ...entry.read, shard, paymentKey, lease });
        return { read: entry.read, heldUntil: leaseUntil, hold: 'leased', lease };
      });
      this.#replaceReads(shard, slot, entries);
    }
    return claimed;
  }

  async releaseRead(read: ClaimedRead, dueAt: EpochMs | null): Promise<void> {
    const { payments, streamTime } = this.#shard(read.shard);
    const slot = payments.slotOf(read.paymentKey, streamTime);
    if (slot === -1) return;
    const entries = payments.readsOf(slot).map((entry): ReadEntry => {
      if (entry.hold !== 'leased' || entry.lease !== read.lease || !sameRead(entry.read, read)) return entry;
      if (dueAt === null) return { ...entry, hold: 'done' };
      return { ...entry, hold: 'free', heldUntil: dueAt };
    });
    this.#replaceReads(read.shard, slot, entries);
  }

  async *scan(shard: ShardId): AsyncGenerator<{ paymentKey: string; value: string }> {
    const held = this.#shard(shard);
    yield* held.payments.entries(() => held.streamTime);
  }

  async checkPartitionCount(count: number): Promise<void> {
    this.#partitionCount ??= count;
    if (this.#partitionCount !== count)
      throw new OperatingError(
        'CONFIG_INVALID',
        `the input topics have ${count} partitions, but the state was built with ${this.#partitionCount}; rebuild it under a new prefix`,
        { context: { partitions: count, stored: this.#partitionCount } },
      );
  }

  async close(): Promise<void> {}

  /** All that is stored, as it is now. Later writes leave it alone. */
  snapshot(): ShardSnapshot {
    return { shards: cloned(this.#shards), partitionCount: this.#partitionCount };
  }

  /** Goes back to a snapshot, as a server does whose last writes a failover lost. The snapshot can be restored again. */
  restore(snapshot: ShardSnapshot): void {
    this.#shards = cloned(snapshot.shards);
    this.#partitionCount = snapshot.partitionCount;
  }

  #shard(id: ShardId): Shard {
    let shard = this.#shards.get(id);
    if (shard === undefined) {
      shard = new Shard();
      this.#shards.set(id, shard);
    }
    return shard;
  }

  #replaceReads(shard: ShardId, slot: number, entries: readonly ReadEntry[]): void {
    const { payments } = this.#shard(shard);
    payments.setReads(slot, entries);
    const first = firstClaimableAt(entries);
    if (first === null) payments.dueReads.delete(slot);
    else payments.dueReads.set(slot, first);
  }
}

const cloned = (shards: ReadonlyMap<ShardId, Shard>): Map<ShardId, Shard> =>
  new Map([...shards].map(([id, shard]) => [id, shard.clone()]));
