import type { Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTopics } from '../../src/drivers/kafka/make-topics.ts';
import { createPartitionReader, type PartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import { createKafkaRecordSink } from '../../src/drivers/kafka/record-sink.ts';
import { prefixedTopic } from '../../src/records/index.ts';
import { describeRecordSink } from '../conformance/record-sink.ts';
import { readAll, testKafka, testSettings } from './kafka-fixture.ts';

const settings = testSettings();
const kafka = testKafka(settings);
const PARTITIONS = 4;
let admin: Admin;
let reader: PartitionReader;
let made = 0;

beforeAll(async () => {
  admin = kafka.admin();
  reader = createPartitionReader(kafka);
  await admin.connect();
});
afterAll(async () => {
  await Promise.all([admin.disconnect(), reader.close()]);
});

const freshTopics = async (maxBytes = 1_000_000): Promise<string> => {
  made += 1;
  const prefix = `${settings.topic_prefix}${made}.`;
  await makeTopics(
    admin,
    (['operation-started', 'review-decided'] as const).map((topic) => ({
      topic: prefixedTopic(prefix, topic),
      numPartitions: PARTITIONS,
      configEntries: [{ name: 'max.message.bytes', value: String(maxBytes) }],
    })),
  );
  return prefix;
};

describeRecordSink('Kafka', async () => {
  const prefix = await freshTopics();
  const sink = createKafkaRecordSink(kafka, prefix);
  return {
    sink,
    partitions: PARTITIONS,
    read: async (topic, partition) => await readAll(reader, prefixedTopic(prefix, topic), partition),
    dispose: async () => await sink.close(),
  };
});

const record = (text: string) => ({
  topic: 'operation-started' as const,
  key: 'k',
  value: Buffer.from(text),
  headers: {},
  timestamp: 1_790_000_000_000,
});

describe('what Kafka does not take', () => {
  it('is RECORD_TOO_LARGE where the topic takes no such record, and the next one still goes', async () => {
    const prefix = await freshTopics(10_000);
    const sink = createKafkaRecordSink(kafka, prefix);
    await expect(sink.write([record('x'.repeat(20_000))])).rejects.toMatchObject({ code: 'RECORD_TOO_LARGE' });
    await sink.write([record('small')]);
    await sink.close();
  });

  it('is BROKER_UNAVAILABLE, retryable, where no broker answers', async () => {
    const gone = testKafka({ ...settings, brokers: ['127.0.0.1:1'] }, { retries: 1, initialRetryTime: 1 });
    const sink = createKafkaRecordSink(gone, 'x.');
    await expect(sink.write([record('x')])).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE', retryable: true });
    await sink.close();
  });
});
