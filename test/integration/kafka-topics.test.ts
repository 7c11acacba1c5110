import type { Admin } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTopics } from '../../src/drivers/kafka/make-topics.ts';
import { type TopicPlan, topicSpecs } from '../../src/drivers/kafka/topic-specs.ts';
import { checkTopics, createTopics } from '../../src/drivers/kafka/topics.ts';
import { deleteTopicsUnder, testKafka, testSettings } from './kafka-fixture.ts';

let admin: Admin;

beforeAll(async () => {
  admin = testKafka(testSettings()).admin();
  await admin.connect();
});

afterAll(async () => {
  for (const prefix of prefixes) await deleteTopicsUnder(admin, prefix);
  await admin.disconnect();
});

const prefixes: string[] = [];

const plan = (): TopicPlan => {
  const { topic_prefix: prefix } = testSettings();
  prefixes.push(prefix);
  return { prefix, partitions: 3, replication: 3, retentionMs: 45 * 86_400_000 };
};

test('creates every topic once, with as many copies as the cluster can hold, and finds nothing wrong with them', async () => {
  const specs = topicSpecs(plan());
  const first = await createTopics(admin, specs);
  expect(first.created).toHaveLength(specs.length);
  expect(first.replication).toBe((await admin.describeCluster()).brokers.length);
  expect(await checkTopics(admin, specs)).toEqual([]);
  expect(await createTopics(admin, specs)).toMatchObject({ created: [], existing: specs.map(({ name }) => name) });
});

test('names a topic that is missing', async () => {
  const specs = topicSpecs(plan());
  await createTopics(admin, specs.slice(1));
  expect(await checkTopics(admin, specs)).toEqual([
    { topic: specs[0]?.name, what: 'exists', is: 'no', shouldBe: 'yes' },
  ]);
});

test('names unequal partition counts, short retention, compacted input and verdicts that are not compacted', async () => {
  const specs = topicSpecs(plan());
  const make = (name: string, numPartitions: number, config: Record<string, string>) => ({
    topic: name,
    numPartitions,
    configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
  });
  const named = (topic: string): string => specs.find(({ name }) => name.endsWith(`.${topic}`))?.name ?? '';
  const [started, webhook, readback] = ['operation-started', 'webhook-received', 'readback-result'].map(named);
  const [verdicts, deadLetter] = ['verdicts', 'dead-letter'].map(named);
  await makeTopics(admin, [
    make(started ?? '', 3, { 'retention.ms': '1000' }),
    make(webhook ?? '', 4, { 'retention.ms': '-1' }),
    make(readback ?? '', 3, { 'retention.ms': '-1', 'cleanup.policy': 'compact' }),
    make(verdicts ?? '', 3, { 'cleanup.policy': 'delete' }),
    make(deadLetter ?? '', 1, { 'retention.ms': '-1', 'max.message.bytes': '1000000' }),
  ]);
  await createTopics(admin, specs);
  const found = (await checkTopics(admin, specs)).map(({ topic, what, is }) => [topic, what, is]);
  expect(found.sort()).toEqual(
    [
      [started, 'retention.ms', '1000'],
      [webhook, 'partitions', '4'],
      [readback, 'cleanup.policy', 'compact'],
      [verdicts, 'cleanup.policy', 'delete'],
      [deadLetter, 'max.message.bytes', '1000000'],
    ].sort(),
  );
});
