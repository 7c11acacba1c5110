import type { FetchedBatch } from '../ports/input-log.ts';
import type { ShardId } from '../ports/shard-store.ts';
import { Shard, type ShardState } from './shard.ts';
import type { ShardDeps } from './shard-deps.ts';

/** What a person or a probe wants to know of one shard. */
export interface ShardFacts {
  readonly shard: ShardId;
  readonly state: ShardState;
  readonly trouble: string | null;
  /** milliseconds since the epoch; null while it is not running */
  readonly streamTime: number | null;
  /** the topic that holds the time back */
  readonly slowest: string | null;
  readonly isReplaying: boolean;
  /** by topic; null while the shard is not running */
  readonly positions: Readonly<Record<string, string>> | null;
}

/** The shards that the group has given to this process. */
export class ShardSet {
  readonly #deps: ShardDeps;
  readonly #shards = new Map<ShardId, Shard>();
  readonly #released = new Set<Promise<void>>();

  constructor(deps: ShardDeps) {
    this.#deps = deps;
  }

  /** The group was joined: these are ours now. Those that stay go on where they were, without being taken anew. */
  assign(shards: readonly ShardId[]): void {
    const assigned = new Set(shards);
    for (const [id, shard] of this.#shards) {
      if (!assigned.has(id)) this.#release(id, shard);
    }
    for (const id of assigned) {
      const held = this.#shards.get(id);
      if (held !== undefined) {
        held.rejoined();
        continue;
      }
      this.#deps.log.pause(id);
      const shard = new Shard(this.#deps, id);
      this.#shards.set(id, shard);
      shard.start();
    }
  }

  deliver(batch: FetchedBatch): Promise<void> {
    return this.#shards.get(batch.shard)?.deliver(batch) ?? Promise.resolve();
  }

  skipped(shard: ShardId, topic: string, from: bigint, next: bigint): void {
    this.#shards.get(shard)?.skipped(topic, from, next);
  }

  heartbeat(): void {
    for (const shard of this.#shards.values()) shard.heartbeat();
  }

  /** @param ends topic → end by partition, as they were at `at` */
  sawEnds(ends: ReadonlyMap<string, readonly bigint[]>, at: number): void {
    for (const [id, shard] of this.#shards) {
      const own = new Map<string, bigint>();
      for (const [topic, offsets] of ends) {
        const end = offsets[id];
        if (end !== undefined) own.set(topic, end);
      }
      shard.sawEnds(own, at);
    }
  }

  facts(): ShardFacts[] {
    return [...this.#shards].map(([id, shard]) => ({
      shard: id,
      state: shard.state,
      trouble: shard.trouble,
      streamTime: shard.session?.streamTime.now ?? null,
      slowest: shard.session?.streamTime.slowest()?.topic ?? null,
      isReplaying: shard.session?.replay != null,
      positions:
        shard.session === null
          ? null
          : Object.fromEntries([...shard.session.positions].map(([topic, offset]) => [topic, offset.toString()])),
    }));
  }

  /** Lets every shard finish what it is at, and lets go of all. */
  async releaseAll(): Promise<void> {
    for (const [id, shard] of this.#shards) this.#release(id, shard);
    await Promise.all(this.#released);
  }

  #release(id: ShardId, shard: Shard): void {
    this.#shards.delete(id);
    const released: Promise<void> = shard.release().finally(() => this.#released.delete(released));
    this.#released.add(released);
  }
}
