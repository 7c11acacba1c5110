import type { AppliedOffsets, ShardId, ShardStore } from '../../ports/shard-store.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './keys.ts';

/** Keys that one DEL names. */
const DELETED_AT_ONCE = 500;

/** What a rebuild keeps of itself beside the state that it builds. */
export interface RebuildNote {
  /** `finishing`: everything is applied, and the shards get the offsets to go on from */
  readonly phase: 'building' | 'finishing';
  /** partitions of the topics it reads */
  readonly from: number;
  /** full topic name → by partition, the offset up to which it is built, as decimal text */
  readonly until: Readonly<Record<string, readonly string[]>>;
}

/** What only a rebuild does to a state: it begins, finishes and drops it whole. Throws STATE_UNAVAILABLE. */
export class RebuiltState {
  readonly #redis: RedisConnection;
  readonly #prefix: string;

  constructor(redis: RedisConnection, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  async note(): Promise<RebuildNote | null> {
    const { rebuild } = keysOf(this.#prefix);
    const text = await this.#redis.ask('tell how far the rebuild is', (client) => client.get(rebuild));
    return text === null ? null : (JSON.parse(text) as RebuildNote);
  }

  async setNote(note: RebuildNote): Promise<void> {
    const { rebuild } = keysOf(this.#prefix);
    await this.#redis.ask('note how far the rebuild is', (client) => client.set(rebuild, JSON.stringify(note)));
  }

  async clearNote(): Promise<void> {
    const { rebuild } = keysOf(this.#prefix);
    await this.#redis.ask('end the rebuild', (client) => client.del(rebuild));
  }

  /** Puts the offsets to go on from in the place of the rebuild's own. */
  async setOffsets(shard: ShardId, applied: AppliedOffsets): Promise<void> {
    const { offsets } = keysOf(this.#prefix).shard(shard);
    await this.#redis.ask(`set the offsets of shard ${shard}`, async (client) => {
      const change = client.multi().del(offsets);
      if (Object.keys(applied).length > 0) change.hset(offsets, applied);
      const results = await change.exec();
      for (const [error] of results ?? []) if (error !== null) throw error;
    });
  }

  /** Deletes every key of the state. */
  async drop(store: ShardStore, shards: number): Promise<void> {
    const keys = keysOf(this.#prefix);
    for (let shard = 0; shard < shards; shard += 1) {
      const { statePrefix, ...fixed } = keys.shard(shard);
      let states: string[] = [];
      const flush = async (): Promise<void> => {
        const gone = states;
        states = [];
        if (gone.length > 0) await this.#redis.ask(`drop states of shard ${shard}`, (client) => client.del(gone));
      };
      for await (const { paymentKey } of store.scan(shard)) {
        states.push(statePrefix + paymentKey);
        if (states.length >= DELETED_AT_ONCE) await flush();
      }
      await flush();
      await this.#redis.ask(`drop shard ${shard}`, (client) => client.del(Object.values(fixed)));
    }
    for (const key of [keys.partitions, keys.rebuild]) {
      await this.#redis.ask('drop the rebuild', (client) => client.del(key));
    }
  }
}
