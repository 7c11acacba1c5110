import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import { diagnoseRedis } from '../../src/drivers/redis/diagnose.ts';
import { RedisShardStore } from '../../src/drivers/redis/shard-store.ts';
import { describeShardStore } from '../conformance/shard-store.ts';
import { deletePrefix, ownPrefix, redisHarness, redisSettings } from './redis-store.ts';
import { type OwnCluster, ownRedisCluster } from './servers.ts';

let cluster: OwnCluster;
beforeAll(async () => {
  cluster = await ownRedisCluster();
});
afterAll(() => cluster.dispose());

const settings = () => redisSettings({ url: cluster.addresses[0], cluster: true });

describeShardStore('Redis Cluster', () => redisHarness(settings()));

const clientOf = (redis: ReturnType<typeof createRedis>): Cluster => {
  if (!(redis.client instanceof Cluster)) throw new Error('no cluster client');
  return redis.client;
};

describe('Redis Cluster', () => {
  it('spreads shards over the masters, each shard whole on one', async () => {
    const prefix = ownPrefix();
    const redis = createRedis(settings());
    const store = new RedisShardStore(redis, prefix);
    const shards = Array.from({ length: 24 }, (_, shard) => shard);
    await Promise.all(
      shards.map(async (shard) => {
        const claim = await store.claim(shard, `owner of ${shard}`);
        const writes = [1, 2, 3].map((n) => ({
          paymentKey: `square:m:${shard}-${n}`,
          value: `${n}`,
          expiresAt: 1e12,
          evaluateAt: 1000 + n,
          reads: [],
        }));
        const result = await store.commit({ claim, writes, applied: { t: '3' }, verdicts: [], streamTime: 1000 });
        expect(result.outcome).toBe('committed');
      }),
    );
    const counts = await Promise.all(
      clientOf(redis)
        .nodes('master')
        .map((node) => node.dbsize()),
    );
    expect(counts.every((count) => count > 0)).toBe(true);
    for (const shard of shards) {
      const told: string[] = [];
      for await (const { paymentKey } of store.scan(shard)) told.push(paymentKey);
      expect(told.sort()).toEqual([1, 2, 3].map((n) => `square:m:${shard}-${n}`));
    }
    await deletePrefix(redis, prefix);
    await store.close();
  });

  it('follows a shard whose slot moves to another master', async () => {
    const prefix = ownPrefix();
    const redis = createRedis(settings());
    const store = new RedisShardStore(redis, prefix);
    const admin = clientOf(redis);
    await admin.ping();
    const slot = Number(await admin.call('CLUSTER', 'KEYSLOT', `{${prefix}:0}`));
    const masters = await Promise.all(
      admin.nodes('master').map(async (node) => ({ node, id: String(await node.call('CLUSTER', 'MYID')) })),
    );
    const slots = (await masters[0]?.node.call('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
    const from = slots.find(([first, last]) => first <= slot && slot <= last)?.[2][2];
    const to = masters.find(({ id }) => id !== from)?.id ?? '';
    // The slot is empty yet, so that handing it over is all there is to moving it.
    const target = [...masters].sort((a, b) => Number(b.id === to) - Number(a.id === to));
    for (const { node } of target) await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', to);
    const claim = await store.claim(0, 'owner');
    const result = await store.commit({ claim, writes: [], applied: { t: '1' }, verdicts: [], streamTime: 1 });
    expect(result.outcome).toBe('committed');
    const held = await masters.find(({ id }) => id === to)?.node.exists(`{${prefix}:0}:owner`);
    expect(held).toBe(1);
    await deletePrefix(redis, prefix);
    await store.close();
  });

  it('finds the cluster by a further node when the first is not there', async () => {
    const nodes = cluster.ports.map((port) => `127.0.0.1:${port}`);
    const store = new RedisShardStore(
      createRedis(redisSettings({ url: 'redis://127.0.0.1:1', cluster: true, nodes })),
      ownPrefix(),
    );
    expect((await store.claim(0, 'owner')).sequence).toBe(0);
    await store.close();
  });

  it('is diagnosed master by master', async () => {
    const redis = createRedis(settings());
    const found = await diagnoseRedis(redis);
    expect(found.map(({ server }) => server).sort()).toEqual(
      cluster.ports.flatMap((port) => [1, 2, 3].map(() => `127.0.0.1:${port}`)).sort(),
    );
    expect(found.every(({ ok }) => ok)).toBe(true);
    await redis.close();
  });

  it('gives up at the deadline while no node answers', async () => {
    const store = new RedisShardStore(
      createRedis(redisSettings({ url: 'redis://127.0.0.1:1', cluster: true, command_timeout_ms: 300 })),
      ownPrefix(),
    );
    await expect(store.claim(0, 'owner')).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: expect.stringMatching(/no answer in time|ECONNREFUSED/),
    });
    await store.close();
  });
});
