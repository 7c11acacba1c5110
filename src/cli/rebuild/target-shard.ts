import { randomUUID } from 'node:crypto';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { type BindableRequest, bindAuthorities } from '../../consumers/bind-authorities.ts';
import { buildCommit } from '../../consumers/commit.ts';
import type { PaymentGroup } from '../../consumers/group.ts';
import { loadStates } from '../../consumers/load.ts';
import { evaluateDue } from '../../consumers/process-batch.ts';
import { reduceGroups } from '../../consumers/reduce-groups.ts';
import { StateCache } from '../../consumers/state-cache.ts';
import { OperatingError } from '../../errors.ts';
import type { EpochMs, PaymentState } from '../../evaluator/index.ts';
import type { ShardClaim, ShardCommit, ShardId, ShardStore, StateWrite } from '../../ports/shard-store.ts';

const CACHE = { entries: 5_000, chars: 16 * 1024 * 1024 };

/** A shard that is being built: applies what belongs to it, and remembers in the same commit how far the source was read. */
export class TargetShard {
  readonly id: ShardId;
  readonly #deps: BatchDeps;
  readonly #store: ShardStore;
  readonly #cache = new StateCache(CACHE);
  #claim: ShardClaim;

  private constructor(deps: BatchDeps, store: ShardStore, claim: ShardClaim) {
    this.id = claim.shard;
    this.#deps = deps;
    this.#store = store;
    this.#claim = claim;
  }

  static async claim(deps: BatchDeps, store: ShardStore, shard: ShardId): Promise<TargetShard> {
    const { streamTime: _unused, ...claim } = await store.claim(shard, randomUUID());
    return new TargetShard(deps, store, claim);
  }

  /** How far a source's partition of a topic is applied here. */
  mark(topic: string, partition: number): bigint {
    return BigInt(this.#claim.applied[markOf(topic, partition)] ?? 0);
  }

  /** Applies observations of payments that belong here; `next` is how far the source partition is read after them. */
  async apply(
    groups: readonly PaymentGroup[],
    now: EpochMs,
    partition: number,
    next: ReadonlyMap<string, bigint>,
    bindable: readonly BindableRequest[] = [],
  ): Promise<void> {
    const applied: Record<string, string> = { ...this.#claim.applied };
    for (const [topic, offset] of next) {
      const name = markOf(topic, partition);
      if (offset > BigInt(applied[name] ?? 0)) applied[name] = offset.toString();
    }
    const keys = groups.map(({ key }) => key);
    const states = await loadStates(this.#store, this.id, this.#cache, keys, now);
    const { payments } = reduceGroups(this.#deps.reduce, this.#deps.contracts, groups, states, now);
    const { commit, written } = buildCommit(this.#claim, payments, applied, now, () => null);
    // What they are passed on as is in the log already.
    const bound = await bindAuthorities(this.#store, this.id, bindable, () => null);
    await this.#commit({ ...commit, writes: [...commit.writes, ...bound.writes] });
    for (const { paymentKey, state, expiresAt, chars } of written) this.#cache.set(paymentKey, state, expiresAt, chars);
  }

  /** Lets time pass up to `now`. */
  async passTime(now: EpochMs): Promise<void> {
    const { id: shard } = this;
    for (;;) {
      const owner = { shard, store: this.#store, cache: this.#cache, claim: this.#claim, partitionOf: null };
      const due = await evaluateDue(this.#deps, owner, now);
      if (due === null) return;
      await this.#commit(due.commit);
      for (const { paymentKey, state, expiresAt, chars } of due.written)
        this.#cache.set(paymentKey, state, expiresAt, chars);
    }
  }

  load(keys: readonly string[], now: EpochMs): Promise<(PaymentState | null)[]> {
    return loadStates(this.#store, this.id, this.#cache, keys, now);
  }

  /** Replaces states as they are given. */
  async write(writes: readonly StateWrite[], now: EpochMs): Promise<void> {
    this.#cache.clear();
    await this.#commit({ claim: this.#claim, writes, applied: this.#claim.applied, verdicts: [], streamTime: now });
  }

  /** What the shard says on the way was said long ago: nothing is left to be published. */
  async #commit(commit: ShardCommit): Promise<void> {
    const result = await this.#store.commit({ ...commit, verdicts: [] });
    if (!('claim' in result)) {
      const problem = `shard ${this.id} of the rebuild was taken by another rebuild, or its store went back in time`;
      throw new OperatingError('STATE_UNAVAILABLE', problem, { context: { shard: this.id, outcome: result.outcome } });
    }
    this.#claim = result.claim;
  }
}

/** Stands among the applied offsets while a shard is being built. */
const markOf = (topic: string, partition: number): string => `rebuild:${topic}/${partition}`;
