import type { Admin, Kafka } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ShardSet } from '../../src/consumers/shard-set.ts';
import { createInputConsumer, type InputConsumer, type InputHandlers } from '../../src/drivers/kafka/input-consumer.ts';
import { makeTopics } from '../../src/drivers/kafka/make-topics.ts';
import { createPartitionReader, type PartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import { OperatingError } from '../../src/errors.ts';
import type { FetchedBatch } from '../../src/ports/input-log.ts';
import { shardFixture, startOf } from '../support/shard-fixture.ts';
import { deleteTopicsUnder, testKafka, testSettings } from './kafka-fixture.ts';

const settings = testSettings();
const PARTITIONS = 4;
const NAMES = ['operation-started', 'webhook-received', 'readback-result', 'review-decided'];
let kafka: Kafka;
let admin: Admin;
let reader: PartitionReader;
let runs = 0;

beforeAll(async () => {
  kafka = testKafka(settings);
  admin = kafka.admin();
  await admin.connect();
  reader = createPartitionReader(kafka);
});

afterAll(async () => {
  await deleteTopicsUnder(admin, settings.topic_prefix);
  await reader.close();
  await admin.disconnect();
});

const ownTopics = async (): Promise<string[]> => {
  runs += 1;
  const topics = NAMES.map((name) => `${settings.topic_prefix}${runs}.${name}`);
  await makeTopics(
    admin,
    topics.map((topic) => ({ topic, numPartitions: PARTITIONS })),
  );
  return topics;
};

const memberOf = (topics: readonly string[], group: string): InputConsumer =>
  createInputConsumer({
    kafka: testKafka(settings),
    reader,
    group,
    topics,
    partitions: PARTITIONS,
    sessionTimeoutMs: settings.session_timeout_ms,
    rebalanceTimeoutMs: settings.rebalance_timeout_ms,
    heartbeatIntervalMs: settings.heartbeat_interval_ms,
    fetchMaxWaitMs: 50,
    fetchMaxBytes: 100_000,
    clock: { now: () => Date.now() },
  });

const produce = async (topics: readonly string[], count: number): Promise<void> => {
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  for (const topic of topics) {
    const messages = Array.from({ length: PARTITIONS * count }, (_, n) => ({
      partition: n % PARTITIONS,
      value: `{"n":${Math.floor(n / PARTITIONS)}}`,
    }));
    await producer.send({ topic, messages });
  }
  await producer.disconnect();
};

const handlersWith = (changes: Partial<InputHandlers>): InputHandlers => ({
  assigned: () => undefined,
  heartbeat: () => undefined,
  deliver: async () => undefined,
  skipped: () => undefined,
  crashed: (error) => {
    throw error;
  },
  ...changes,
});

test('from one member to three and back, each shard is one member’s over all topics, balanced, moving the fewest', async () => {
  const topics = await ownTopics();
  const group = `${settings.group}-rebalance`;
  const held = new Map<string, number[]>();
  const history: string[] = [];
  const join = async (name: string): Promise<InputConsumer> => {
    const member = memberOf(topics, group);
    await member.start(
      handlersWith({
        assigned: (shards) => {
          held.set(name, [...shards].sort());
          history.push(name);
        },
      }),
    );
    return member;
  };
  const settled = (sizes: number[]) =>
    expect
      .poll(() => [...held.values()].map((shards) => shards.length).sort(), { timeout: 20_000, interval: 20 })
      .toEqual(sizes);

  const a = await join('a');
  await settled([4]);
  const b = await join('b');
  await settled([2, 2]);
  const ofA = held.get('a') ?? [];
  const c = await join('c');
  await settled([1, 1, 2]);
  expect([...held.values()].flat().sort()).toEqual([0, 1, 2, 3]);
  // Nobody got a shard that it did not have, save the newcomer.
  expect(ofA).toEqual(expect.arrayContaining(held.get('a') ?? []));
  expect(history.length).toBeGreaterThan(3);

  const ofB = held.get('b') ?? [];
  await c.stop();
  held.delete('c');
  await settled([2, 2]);
  expect(held.get('b')).toEqual(expect.arrayContaining(ofB));
  await a.stop();
  held.delete('a');
  await settled([4]);
  await b.stop();
});

test('feeds each shard from the offset that it says, however late it says so, and from nowhere else', async () => {
  const topics = await ownTopics();
  await produce(topics, 10);
  const member = memberOf(topics, `${settings.group}-seek`);
  const first = new Map<string, FetchedBatch>();
  let seen: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    seen = resolve;
  });
  await member.start(
    handlersWith({
      assigned: (shards) => {
        for (const shard of shards) {
          member.pause(shard);
          // Its store takes its time, each another.
          setTimeout(
            () => member.resume(shard, new Map(topics.map((topic) => [topic, BigInt(3 + shard)]))),
            shard * 60,
          );
        }
      },
      deliver: async (batch) => {
        const name = `${batch.topic}/${batch.shard}`;
        if (!first.has(name)) first.set(name, batch);
        if (first.size === topics.length * PARTITIONS) seen();
      },
    }),
  );
  await all;
  for (const batch of first.values()) {
    expect(batch.from).toBe(BigInt(3 + batch.shard));
    expect(batch.records[0]?.offset).toBe(String(3 + batch.shard));
    expect(batch).toMatchObject({ next: 10n, end: 10n });
  }
  await member.stop();
});

test('tells of markers of transactions that stand where no record does', async () => {
  const topics = await ownTopics();
  const [topic = ''] = topics;
  const producer = kafka.producer({
    transactionalId: `${settings.group}-input`,
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  const aborted = await producer.transaction();
  await aborted.send({ topic, messages: [{ partition: 0, value: '{"n":"aborted"}' }] });
  await aborted.abort();
  await producer.disconnect();

  const member = memberOf(topics, `${settings.group}-markers`);
  const skipped = new Promise<unknown[]>((resolve, reject) => {
    member
      .start(
        handlersWith({
          assigned: (shards) => {
            for (const shard of shards) member.resume(shard, new Map(topics.map((each) => [each, 0n])));
          },
          skipped: (...told) => resolve(told),
        }),
      )
      .catch(reject);
  });
  expect(await skipped).toEqual([0, topic, 0n, 2n]);
  await member.stop();
});

test('halts the shard whose records were deleted before it applied them, and feeds the others', async () => {
  const topics = await ownTopics();
  const [started = ''] = topics;
  await produce([started], 10);
  const member = memberOf(topics, `${settings.group}-outside`);
  const fixture = shardFixture();
  const seen = new Set<number>();
  const shards = new ShardSet({
    ...fixture.deps,
    log: member,
    partitions: PARTITIONS,
  });
  // Shard 2 has applied four of its ten records; then the first six go.
  const claim = await fixture.store.claim(2, 'former');
  const applied = Object.fromEntries(topics.map((topic) => [topic, topic === started ? '4' : '0']));
  await fixture.store.commit({ claim, writes: [], applied, verdicts: [], streamTime: 0 });
  // The client's admin finds leaders only of topics that it has been asked about.
  await admin.fetchTopicOffsets(started);
  await admin.deleteTopicRecords({ topic: started, partitions: [{ partition: 2, offset: '6' }] });

  await member.start(
    handlersWith({
      assigned: (ids) => shards.assign(ids),
      deliver: async (batch) => {
        seen.add(batch.shard);
        await shards.deliver(batch);
      },
    }),
  );
  await expect.poll(() => [...seen].sort(), { timeout: 10_000, interval: 20 }).toEqual([0, 1, 3]);
  const halted = shards.facts().find(({ shard }) => shard === 2);
  expect(halted?.state).toBe('halted');
  expect(halted?.trouble).toContain(`${started}/2 was applied up to offset 4, but the log holds 6 to 10`);
  // The client's own way out would have been to commit offset -2 for the group and begin anew.
  const committed = await admin.fetchOffsets({ groupId: `${settings.group}-outside`, topics: [started] });
  expect(committed[0]?.partitions.map(({ offset }) => offset)).toEqual(['-1', '-1', '-1', '-1']);
  await member.stop();
  await shards.releaseAll();
});

test('a shard that pauses for a fault of its own leaves the others flowing, and goes on from where it was', async () => {
  const topics = await ownTopics();
  const [started = ''] = topics;
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const member = memberOf(topics, `${settings.group}-fault`);
  const fixture = shardFixture();
  let isDown = true;
  const commit = fixture.store.commit.bind(fixture.store);
  const applied = new Map<number, number>();
  fixture.store.commit = async (each) => {
    if (isDown && each.claim.shard === 1) {
      throw new OperatingError('STATE_UNAVAILABLE', 'the node of shard 1 is down');
    }
    const result = await commit(each);
    applied.set(each.claim.shard, Number(each.applied[started]));
    return result;
  };
  const shards = new ShardSet({ ...fixture.deps, log: member, partitions: PARTITIONS });
  await member.start(
    handlersWith({
      assigned: (ids) => shards.assign(ids),
      heartbeat: () => shards.heartbeat(),
      deliver: (batch) => shards.deliver(batch),
    }),
  );
  for (let round = 0; round < 5; round += 1) {
    await producer.send({
      topic: started,
      messages: Array.from({ length: PARTITIONS }, (_, partition) => ({
        partition,
        value: JSON.stringify(startOf(`op-${round}-${partition}`)),
      })),
    });
    await expect
      .poll(() => [0, 2, 3].map((shard) => applied.get(shard)), { timeout: 10_000, interval: 10 })
      .toEqual([round + 1, round + 1, round + 1]);
  }
  expect(applied.has(1)).toBe(false);
  isDown = false;
  await expect.poll(() => applied.get(1), { timeout: 10_000, interval: 10 }).toBe(5);
  await producer.disconnect();
  await member.stop();
  await shards.releaseAll();
});
