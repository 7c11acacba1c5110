import { Cluster, type Redis } from 'ioredis';
import type { EpochMs } from '../../evaluator/index.ts';
import type { AppliedOffsets, ShardId } from '../../ports/shard-store.ts';
import type { RedisConnection } from './connection.ts';
import { parseInfo } from './diagnose.ts';
import { keysOf } from './keys.ts';

/** How far a shard is. */
export interface ShardPosition {
  readonly applied: AppliedOffsets;
  /** milliseconds since the epoch; 0 where nothing was committed */
  readonly streamTime: EpochMs;
  /** commits since the state began */
  readonly sequence: number;
}

/** What one server says of itself. */
export interface ServerFacts {
  /** host:port */
  readonly server: string;
  readonly info: ReadonlyMap<string, string>;
  /** its clock, milliseconds since the epoch, and ours before and after it was asked */
  readonly time: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Looks at the state in Redis without owning a shard: for operators' commands. Throws STATE_UNAVAILABLE. */
export class RedisInspector {
  readonly #redis: RedisConnection;
  readonly #prefix: string;

  constructor(redis: RedisConnection, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  /** The partition count that the state was built with; null: nothing is there. */
  async partitions(): Promise<number | null> {
    const { partitions } = keysOf(this.#prefix);
    const stored = await this.#redis.ask('tell the partition count', (client) => client.get(partitions));
    return stored === null ? null : Number(stored);
  }

  async position(shard: ShardId): Promise<ShardPosition> {
    const keys = keysOf(this.#prefix).shard(shard);
    return this.#redis.ask(`tell the position of shard ${shard}`, async (client) => {
      // One transaction: offsets and time belong to the same commit.
      const answer = await client.multi().hmget(keys.owner, 'stream_time', 'sequence').hgetall(keys.offsets).exec();
      const [owner, offsets] = (answer ?? []).map(([error, value]) => {
        if (error !== null) throw error;
        return value;
      });
      const [streamTime, sequence] = (owner ?? []) as (string | null)[];
      return {
        applied: (offsets ?? {}) as AppliedOffsets,
        streamTime: Number(streamTime ?? 0),
        sequence: Number(sequence ?? 0),
      };
    });
  }

  /** Each master. */
  async servers(): Promise<readonly ServerFacts[]> {
    const { client } = this.#redis;
    await this.#redis.ask('answer a ping', () => client.ping());
    const servers: Redis[] = client instanceof Cluster ? client.nodes('master') : [client];
    return Promise.all(
      servers.map(async (server) => {
        const name = `${server.options.host}:${server.options.port}`;
        const info = await this.#redis.ask(`tell about ${name}`, () => server.info());
        const askedAt = Date.now();
        const [seconds, micros] = await this.#redis.ask(`tell the time of ${name}`, () => server.time());
        const answeredAt = Date.now();
        const time = Number(seconds) * 1000 + Number(micros) / 1000;
        return { server: name, info: parseInfo(info), time, askedAt, answeredAt };
      }),
    );
  }
}
