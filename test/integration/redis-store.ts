import { randomUUID } from 'node:crypto';
import { Cluster, Redis } from 'ioredis';
import { redisSection } from '../../src/config/redis.ts';
import { createRedis, type RedisSettings } from '../../src/drivers/redis/connect.ts';
import type { RedisConnection } from '../../src/drivers/redis/connection.ts';
import { keysOf } from '../../src/drivers/redis/keys.ts';
import { RedisShardStore } from '../../src/drivers/redis/shard-store.ts';
import type { ShardStoreHarness } from '../conformance/shard-store.ts';

/** Settings as they would be loaded; the URL is the test run's Redis unless another is given. */
export const redisSettings = (more: Record<string, unknown> = {}): RedisSettings =>
  redisSection.parse({ url: process.env['COUNTERSIGN_REDIS_URL'], ...more });

/** A prefix that no other test has. */
export const ownPrefix = (): string => `test-${randomUUID()}`;

const serversOf = (redis: RedisConnection): Redis[] =>
  redis.client instanceof Cluster ? redis.client.nodes('master') : redis.client instanceof Redis ? [redis.client] : [];

/** Every key under the prefix. */
export const keysUnder = async (redis: RedisConnection, prefix: string): Promise<string[]> => {
  await redis.client.ping();
  const found = new Set<string>();
  for (const server of serversOf(redis)) {
    for await (const keys of server.scanStream({ match: keysOf(prefix).pattern, count: 1000 }))
      for (const key of keys as string[]) found.add(key);
  }
  return [...found];
};

export const deletePrefix = async (redis: RedisConnection, prefix: string): Promise<void> => {
  for (const key of await keysUnder(redis, prefix)) await redis.client.unlink(key);
};

/**
 * Copies every key under the prefix; the function it returns puts them back as they were and deletes the others, as a failover
 * to a replica that was behind does.
 */
export const snapshotPrefix = async (redis: RedisConnection, prefix: string): Promise<() => Promise<void>> => {
  const { client } = redis;
  const keys = await keysUnder(redis, prefix);
  const copies = await Promise.all(
    keys.map(async (key) => ({ key, value: await client.dumpBuffer(key), ttl: await client.pttl(key) })),
  );
  return async () => {
    await deletePrefix(redis, prefix);
    for (const { key, value, ttl } of copies) if (value !== null) await client.restore(key, Math.max(0, ttl), value);
  };
};

/** A store under a prefix of its own, seen by two connections. */
export const redisHarness = async (
  settings: RedisSettings,
): Promise<ShardStoreHarness & { readonly prefix: string; readonly redis: RedisConnection }> => {
  const prefix = ownPrefix();
  const redis = createRedis(settings);
  const store = new RedisShardStore(redis, prefix);
  const other = new RedisShardStore(createRedis(settings), prefix);
  return {
    prefix,
    redis,
    store,
    other,
    snapshot: () => snapshotPrefix(redis, prefix),
    async dispose() {
      await deletePrefix(redis, prefix);
      await Promise.all([store.close(), other.close()]);
    },
  };
};
