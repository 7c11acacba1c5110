import { randomBytes } from 'node:crypto';
import type { Admin, Kafka, RetryOptions } from 'kafkajs';
import pino from 'pino';
import { kafkaSection } from '../../src/config/kafka.ts';
import { connectKafka, type KafkaSettings } from '../../src/drivers/kafka/connect.ts';
import type { PartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import type { ConsumedRecord } from '../../src/ports/consumed-record.ts';

/** The settings of a test: the broker that the environment names, short sessions, and topics of its own. */
export const testSettings = (): KafkaSettings => {
  const brokers = process.env['COUNTERSIGN_BROKERS'];
  if (brokers === undefined)
    throw new Error('COUNTERSIGN_BROKERS is not set; run `npm run stack -- up` and use what it prints');
  const name = `test-${randomBytes(6).toString('hex')}`;
  return kafkaSection.parse({
    brokers: brokers.split(','),
    client_id: name,
    group: name,
    topic_prefix: `${name}.`,
    partitions: 4,
    replication: 1,
    session_timeout_ms: 6_000,
    heartbeat_interval_ms: 300,
    rebalance_timeout_ms: 10_000,
  });
};

export const silent = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });

export const testKafka = (settings: KafkaSettings, retry?: RetryOptions): Kafka =>
  connectKafka(settings, silent, retry);

/** Takes a test's topics away: a broker with a small heap ends under the partitions that some hundred tests leave behind. */
export const deleteTopicsUnder = async (admin: Admin, prefix: string): Promise<void> => {
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
  if (topics.length > 0) await admin.deleteTopics({ topics });
};

/**
 * Everything a partition holds at read_committed. A transaction's markers are written shortly after its commit is answered: the
 * fetches wait for them.
 */
export const readAll = async (reader: PartitionReader, topic: string, partition: number): Promise<ConsumedRecord[]> => {
  const records: ConsumedRecord[] = [];
  const { low, high } = (await reader.bounds(topic))[partition] ?? { low: 0n, high: 0n };
  for (let next = low; next < high; ) {
    const slice = await reader.read(topic, partition, next, { maxBytes: 8 << 20 });
    records.push(...slice.records);
    next = slice.next;
  }
  return records;
};
