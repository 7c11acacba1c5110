import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { expect, test } from 'vitest';
import { makeTopics } from '../../src/drivers/kafka/make-topics.ts';
import { ownBroker, ownRedis, ownRedisCluster } from './servers.ts';

test('a broker of its own keeps its topics over a kill and a start', async () => {
  const broker = await ownBroker();
  try {
    const admin = new Kafka({ brokers: [broker.address], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await makeTopics(admin, [{ topic: 'kept', numPartitions: 2 }]);
    const before = broker.pid;
    await broker.kill();
    await broker.start();
    expect(broker.pid).not.toBe(before);
    expect(await admin.listTopics()).toContain('kept');
    await admin.disconnect();
  } finally {
    await broker.dispose();
  }
});

test('a durable Redis keeps its keys over a kill and never evicts', async () => {
  const server = await ownRedis({ durable: true, options: ['--appendfsync', 'always'] });
  try {
    const redis = new Redis(server.address, { lazyConnect: true, maxRetriesPerRequest: 0 });
    await redis.connect();
    await redis.set('kept', 'yes');
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    redis.disconnect();
    await server.kill();
    await server.start();
    const again = new Redis(server.address, { lazyConnect: true, maxRetriesPerRequest: 0 });
    await again.connect();
    expect(await again.get('kept')).toBe('yes');
    again.disconnect();
  } finally {
    await server.dispose();
  }
});

test('the three masters of a cluster own all slots between them', async () => {
  const cluster = await ownRedisCluster();
  try {
    const [port] = cluster.ports;
    if (port === undefined) throw new Error('no node');
    const redis = new Redis(port, '127.0.0.1', { lazyConnect: true });
    await redis.connect();
    const slots = (await redis.cluster('SLOTS')) as [number, number, ...unknown[]][];
    const owned = slots.reduce((sum, [from, to]) => sum + to - from + 1, 0);
    expect([slots.length, owned]).toEqual([3, 16_384]);
    redis.disconnect();
  } finally {
    await cluster.dispose();
  }
});
