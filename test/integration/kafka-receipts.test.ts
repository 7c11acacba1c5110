import type { Admin, Kafka } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAtLeastOncePublisher } from '../../src/drivers/kafka/at-least-once-publisher.ts';
import { makeTopics } from '../../src/drivers/kafka/make-topics.ts';
import { createPartitionReader, type PartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import { PUBLISH_RETRY, type Publication } from '../../src/drivers/kafka/publication.ts';
import { readPublishedPosition } from '../../src/drivers/kafka/published-position.ts';
import { jsonVerdicts } from '../../src/drivers/kafka/verdict-messages.ts';
import { createTransactionalPublisher } from '../../src/drivers/kafka/verdict-publisher.ts';
import { jsonVerdict } from '../../src/drivers/kafka/verdict-tail.ts';
import { type FaultPoint, noFaults } from '../../src/ports/fault-points.ts';
import type { PendingVerdict, ShardClaim } from '../../src/ports/shard-store.ts';
import { auditChains, createReceiptSealer, KeySet, verifyLines } from '../../src/receipts/index.ts';
import { linesOf, TestShard, testKey, verdictOf } from '../support/receipts.ts';
import { deleteTopicsUnder, readAll, testKafka, testSettings } from './kafka-fixture.ts';

const settings = testSettings();
const keys = new KeySet([testKey('k1')]);
let kafka: Kafka;
let admin: Admin;
let reader: PartitionReader;
let publications = 0;

beforeAll(async () => {
  kafka = testKafka(settings, PUBLISH_RETRY);
  admin = kafka.admin();
  await admin.connect();
  reader = createPartitionReader(kafka);
});

afterAll(async () => {
  await deleteTopicsUnder(admin, settings.topic_prefix);
  await reader.close();
  await admin.disconnect();
});

/** A shard whose verdicts are linked as an owner's commits link them, and the publication of it. */
const shardOver = async () => {
  publications += 1;
  const name = (topic: string): string => `${settings.topic_prefix}${topic}-${publications}`;
  const [topic, positionTopic, receiptsTopic] = [name('verdicts'), name('input'), name('receipts')];
  await makeTopics(
    admin,
    [topic, positionTopic, receiptsTopic].map((each) => ({ topic: each, numPartitions: 1 })),
  );
  const sealer = createReceiptSealer(receiptsTopic, async () => keys);
  const shard = new TestShard(sealer);
  let pending: PendingVerdict[] = [];
  let next = 1;
  const claim = (): ShardClaim => ({ shard: 0, token: '1:owner', sequence: 0, applied: {}, nextVerdict: next });
  const publication: Publication = {
    kafka,
    admin,
    reader,
    store: {
      owns: async () => true,
      pendingVerdicts: async (_, limit) => pending.slice(0, limit),
      trimVerdicts: async (_, __, sequence) => {
        pending = pending.filter((verdict) => verdict.sequence > sequence);
      },
    },
    shard: 0,
    topic,
    positionTopic,
    positionGroup: name('published'),
    transactionalId: name('owner'),
    receipts: { topic: receiptsTopic, sealer },
    encode: jsonVerdicts,
    decode: jsonVerdict,
    faults: noFaults,
  };
  const commit = (operation: string): PendingVerdict[] => {
    const verdicts = shard.link([verdictOf(operation, 1)]);
    pending.push(...verdicts);
    next += verdicts.length;
    return verdicts;
  };
  /** The receipts of the log and what is wrong with them. */
  const audit = async () => {
    const records = await readAll(reader, receiptsTopic, 0);
    const lines = linesOf(records.map(({ value }) => Buffer.from(value ?? '').toString()));
    const { receipts, problems } = await verifyLines(lines, keys, { isPartial: false, allowsUnsealed: false });
    return { count: receipts.length, problems: [...problems, ...auditChains(receipts, [], false).problems] };
  };
  return { publication, claim, commit, audit };
};

test('the chain goes on from the end of the log where the published position has expired', async () => {
  const { publication, claim, commit, audit } = await shardOver();
  const first = createTransactionalPublisher(publication);
  await first.takeOver(claim());
  for (const operation of ['a', 'b', 'c']) await first.publish(claim(), commit(operation), false);
  await first.close();
  const position = () => readPublishedPosition(admin, publication.positionGroup, publication.positionTopic, 0);
  expect(await position()).toMatchObject({ next: 4, chain: { sequence: 3 } });
  await admin.deleteGroups([publication.positionGroup]);
  expect(await position()).toBeNull();
  const second = createTransactionalPublisher(publication);
  await second.takeOver(claim());
  await second.publish(claim(), commit('d'), false);
  await second.close();
  expect(await audit()).toEqual({ count: 4, problems: [] });
});

test('what somebody else writes into the log is no part of the chain', async () => {
  const { publication, claim, commit, audit } = await shardOver();
  const first = createTransactionalPublisher(publication);
  await first.takeOver(claim());
  await first.publish(claim(), commit('a'), false);
  await first.close();
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: publication.receipts?.topic ?? '', messages: [{ value: 'noise' }, { value: 'a.b.c' }] });
  await producer.disconnect();
  await admin.deleteGroups([publication.positionGroup]);
  const second = createTransactionalPublisher(publication);
  await second.takeOver(claim());
  await second.publish(claim(), commit('b'), false);
  await second.close();
  const { count, problems } = await audit();
  expect(count).toBe(2);
  expect(problems.map(({ code }) => code)).toEqual(['RECEIPT_MALFORMED', 'RECEIPT_MALFORMED']);
});

test('without transactions, an owner that ended between receipts and verdicts seals nothing a second time', async () => {
  const { publication, claim, commit, audit } = await shardOver();
  let isBroken = false;
  const dying: Publication = {
    ...publication,
    faults: {
      hit: async (point: FaultPoint) => {
        if (isBroken && point === 'after-publish') throw new Error('ended before the verdicts were trimmed');
      },
    },
  };
  const first = createAtLeastOncePublisher(dying);
  await first.takeOver(claim());
  await first.publish(claim(), commit('a'), false);
  isBroken = true;
  await expect(first.publish(claim(), commit('b'), false)).rejects.toThrow('ended before');
  await first.close();
  const second = createAtLeastOncePublisher(publication);
  await second.takeOver(claim());
  await second.publish(claim(), commit('c'), false);
  await second.close();
  expect(await audit()).toEqual({ count: 3, problems: [] });
});
