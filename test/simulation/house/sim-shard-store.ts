import { MemoryShardStore, type ShardSnapshot } from '../../../src/drivers/memory/shard-store.ts';
import { OperatingError } from '../../../src/errors.ts';
import type { EpochMs } from '../../../src/evaluator/index.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Rate, RateLimiter } from '../../../src/ports/rate-limiter.ts';
import type {
  AppliedOffsets,
  ClaimedRead,
  CommitResult,
  PendingVerdict,
  ShardClaim,
  ShardCommit,
  ShardId,
  ShardStore,
} from '../../../src/ports/shard-store.ts';
import type { Random } from '../random.ts';
import { calmConditions, Network } from './network.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';

/** What was written, and by whom, for the checks that follow a run step by step. */
export interface StoreObserver {
  claimed(shard: ShardId, token: string, process: SimProcess): void;
  committed(commit: ShardCommit, result: CommitResult, process: SimProcess): void;
  /** the store went back to what it was */
  restored(): void;
}

/** What is not done yet: whether verdicts wait to be trimmed, and when the next evaluation and the next read may begin. */
export interface Outstanding {
  readonly pending: number;
  readonly next: EpochMs | null;
}

interface Kept {
  readonly snapshot: ShardSnapshot;
  readonly owners: ReadonlyMap<ShardId, string>;
  readonly applied: ReadonlyMap<ShardId, AppliedOffsets>;
}

/** How many of the last writes a replica may lack. */
const KEPT = 40;

const unavailable = (doing: string): OperatingError =>
  new OperatingError('STATE_UNAVAILABLE', `${doing}: Connection is closed.`);

/**
 * The state server: one store in memory, with a replica that lags. A script that it runs is atomic; the way to it is a
 * network. `failOver` puts the replica in its place, without the last writes.
 */
export class StateServer {
  readonly network: Network;
  readonly store: MemoryShardStore;
  readonly owners = new Map<ShardId, string>();
  readonly applied = new Map<ShardId, AppliedOffsets>();
  readonly #kept: Kept[] = [];
  readonly #hasReplica: boolean;
  readonly #observer: StoreObserver;
  readonly #shards: number;
  #outstanding: Outstanding | null = null;

  constructor(options: {
    readonly scheduler: Scheduler;
    readonly random: Random;
    readonly clock: Clock;
    readonly latencyMs: number;
    readonly shards: number;
    readonly hasReplica: boolean;
    readonly observer: StoreObserver;
  }) {
    const { scheduler, random, clock, latencyMs, shards, hasReplica, observer } = options;
    this.network = new Network(scheduler, random.fork('redis network'), calmConditions(latencyMs), unavailable);
    this.store = new MemoryShardStore({ clock });
    this.#shards = shards;
    this.#hasReplica = hasReplica;
    this.#observer = observer;
  }

  /** After a write: what a replica may be at. */
  keep(): void {
    this.#outstanding = null;
    if (!this.#hasReplica) return;
    const { owners, applied } = this;
    this.#kept.push({ snapshot: this.store.snapshot(), owners: new Map(owners), applied: new Map(applied) });
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  /** The replica takes over; it lacks the last `writes` writes. */
  failOver(writes: number): void {
    const at = Math.max(0, this.#kept.length - 1 - writes);
    const replica = this.#kept[at];
    if (replica === undefined) return;
    this.#kept.length = at + 1;
    this.#outstanding = null;
    this.store.restore(replica.snapshot);
    this.owners.clear();
    for (const [shard, token] of replica.owners) this.owners.set(shard, token);
    this.applied.clear();
    for (const [shard, offsets] of replica.applied) this.applied.set(shard, offsets);
    this.#observer.restored();
  }

  get observer(): StoreObserver {
    return this.#observer;
  }

  async outstanding(): Promise<Outstanding> {
    this.#outstanding ??= await this.#look();
    return this.#outstanding;
  }

  async #look(): Promise<Outstanding> {
    let pending = 0;
    let next: EpochMs | null = null;
    const sooner = (at: EpochMs | null): void => {
      if (at !== null && (next === null || at < next)) next = at;
    };
    const { shards } = this.store.snapshot();
    for (let shard = 0; shard < this.#shards; shard += 1) {
      pending += (await this.store.pendingVerdicts(shard, 1)).length;
      sooner(await this.store.nextEvaluation(shard));
      const payments = shards.get(shard)?.payments;
      if (payments === undefined) continue;
      // Leased, or answered and not applied: it comes again when its lease is over.
      for (const { paymentKey } of payments.entries(() => 0))
        for (const { read, heldUntil } of payments.readsOf(payments.slotOf(paymentKey, 0)))
          sooner(Math.max(read.dueAt, heldUntil));
    }
    return { pending, next };
  }
}

/** A process's client of the state server. */
export class SimShardStore implements ShardStore {
  readonly #server: StateServer;
  readonly #process: SimProcess;
  readonly #random: Random;

  constructor(server: StateServer, process: SimProcess, random: Random) {
    this.#server = server;
    this.#process = process;
    this.#random = random.fork(`store of ${process.name}`);
  }

  #ask<T>(doing: string, run: (store: MemoryShardStore) => Promise<T>): Promise<T> {
    return this.#server.network.request(this.#process, doing, () => run(this.#server.store));
  }

  async #write<T>(doing: string, run: (store: MemoryShardStore) => Promise<T>): Promise<T> {
    return await this.#ask(doing, async (store) => {
      const result = await run(store);
      this.#server.keep();
      return result;
    });
  }

  claim(shard: ShardId, owner: string): Promise<ShardClaim & { readonly streamTime: EpochMs }> {
    return this.#write('claim', async (store) => {
      const claim = await store.claim(shard, owner);
      this.#server.owners.set(shard, claim.token);
      this.#server.observer.claimed(shard, claim.token, this.#process);
      return claim;
    });
  }

  owns(shard: ShardId, token: string): Promise<boolean> {
    return this.#ask('owns', (store) => store.owns(shard, token));
  }

  load(shard: ShardId, paymentKeys: readonly string[]): Promise<(string | null)[]> {
    return this.#ask('load', (store) => store.load(shard, paymentKeys));
  }

  async commit(commit: ShardCommit): Promise<CommitResult> {
    const send = (): Promise<CommitResult> =>
      this.#write('commit', async (store) => {
        const result = await store.commit(commit);
        this.#server.observer.committed(commit, result, this.#process);
        if (result.outcome === 'committed') this.#server.applied.set(commit.claim.shard, commit.applied);
        return result;
      });
    try {
      return await send();
    } catch (error) {
      // The client sends a command again that was under way when its connection broke, or gives up on it.
      if (this.#random.chance(0.5)) return await send();
      throw error;
    }
  }

  dueEvaluations(shard: ShardId, upTo: EpochMs, limit: number): ReturnType<ShardStore['dueEvaluations']> {
    return this.#ask('due', (store) => store.dueEvaluations(shard, upTo, limit));
  }

  nextEvaluation(shard: ShardId): Promise<EpochMs | null> {
    return this.#ask('next due', (store) => store.nextEvaluation(shard));
  }

  oldestUnresolved(shard: ShardId): Promise<EpochMs | null> {
    return this.#ask('oldest unresolved', (store) => store.oldestUnresolved(shard));
  }

  pendingVerdicts(shard: ShardId, limit: number): Promise<readonly PendingVerdict[]> {
    return this.#ask('pending', (store) => store.pendingVerdicts(shard, limit));
  }

  trimVerdicts(shard: ShardId, token: string, sequence: number): Promise<void> {
    return this.#write('trim', (store) => store.trimVerdicts(shard, token, sequence));
  }

  claimReads(shard: ShardId, upTo: EpochMs, leaseUntil: EpochMs, limit: number): Promise<readonly ClaimedRead[]> {
    return this.#ask('claim reads', async (store) => {
      const reads = await store.claimReads(shard, upTo, leaseUntil, limit);
      if (reads.length > 0) this.#server.keep();
      return reads;
    });
  }

  releaseRead(read: ClaimedRead, dueAt: EpochMs | null): Promise<void> {
    return this.#write('release', (store) => store.releaseRead(read, dueAt));
  }

  async *scan(shard: ShardId): AsyncGenerator<{ paymentKey: string; value: string }> {
    yield* this.#server.store.scan(shard);
  }

  checkPartitionCount(count: number): Promise<void> {
    return this.#ask('partition count', (store) => store.checkPartitionCount(count));
  }

  async close(): Promise<void> {}
}

/** The rate that all workers share, kept by the state server. */
export const limiterOf = (server: StateServer, process: SimProcess, shared: RateLimiter): RateLimiter => ({
  take: (key: string, rate: Rate) => server.network.request(process, 'take', () => shared.take(key, rate)),
  hold: (key: string, rate: Rate, ms: number) =>
    server.network.request(process, 'hold', () => shared.hold(key, rate, ms)),
});
