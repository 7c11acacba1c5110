import { createHash } from 'node:crypto';
import kafkajs, { type Admin, type Producer } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeadLetterSink, parseDeadLetter } from '../../src/drivers/kafka/dead-letter.ts';
import { createPartitionReader, type PartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import { createRekeySink } from '../../src/drivers/kafka/rekey.ts';
import { type ConsumedRecord, REKEYED_HEADER } from '../../src/ports/consumed-record.ts';
import { partitionOfKey } from '../../src/records/partition.ts';
import { deleteTopicsUnder, readAll, testKafka, testSettings } from './kafka-fixture.ts';

const settings = testSettings();
let admin: Admin;
let producer: Producer;
let reader: PartitionReader;
let topics = 0;

beforeAll(async () => {
  const kafka = testKafka(settings);
  admin = kafka.admin();
  producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  reader = createPartitionReader(kafka);
  await Promise.all([admin.connect(), producer.connect()]);
});

afterAll(async () => {
  await deleteTopicsUnder(admin, settings.topic_prefix);
  await Promise.all([admin.disconnect(), producer.disconnect(), reader.close()]);
});

const makeTopic = async (numPartitions: number, maxBytes = 1_000_000): Promise<string> => {
  topics += 1;
  const topic = `${settings.topic_prefix}t${topics}`;
  const configEntries = [{ name: 'max.message.bytes', value: String(maxBytes) }];
  await admin.createTopics({ topics: [{ topic, numPartitions, configEntries }] });
  return topic;
};

const recordOf = (fields: Partial<ConsumedRecord>): ConsumedRecord => ({
  topic: 'webhook-received',
  partition: 3,
  offset: '42',
  timestamp: 1_790_000_000_000,
  key: Buffer.from('k'),
  value: Buffer.from([0, 255, 1, 254]),
  headers: { traceparent: '00-a-b-01' },
  ...fields,
});

test('keeps the bytes, the place, the code and the reason of a poison record', async () => {
  const topic = await makeTopic(1);
  const record = recordOf({});
  await createDeadLetterSink(producer, topic).write([
    { record, code: 'RECORD_MALFORMED', reason: 'byte 0 was 0x00' },
    { record: recordOf({ key: null, value: null, offset: '43' }), code: 'RECORD_MALFORMED', reason: 'no value' },
  ]);
  const [first, second] = (await readAll(reader, topic, 0)).map(parseDeadLetter);
  expect(first).toMatchObject({ code: 'RECORD_MALFORMED', reason: 'byte 0 was 0x00', isValueOmitted: false });
  expect({ ...first?.record, timestamp: 0 }).toEqual({ ...record, timestamp: 0 });
  expect(second?.record).toMatchObject({ key: null, value: null, offset: '43' });
});

test('writes a value that the topic does not take as its digest, and the others beside it whole', async () => {
  const topic = await makeTopic(1, 100_000);
  const large = Buffer.alloc(300_000, 'x');
  await createDeadLetterSink(producer, topic).write([
    { record: recordOf({}), code: 'RECORD_MALFORMED', reason: 'bad' },
    { record: recordOf({ value: large, offset: '43' }), code: 'RECORD_TOO_LARGE', reason: '300000 bytes' },
    { record: recordOf({ offset: '44' }), code: 'RECORD_MALFORMED', reason: 'bad' },
  ]);
  const records = await readAll(reader, topic, 0);
  expect(records.map((each) => parseDeadLetter(each)?.isValueOmitted)).toEqual([false, true, false]);
  expect(records.map((each) => parseDeadLetter(each)?.record.offset)).toEqual(['42', '43', '44']);
  expect(records[1]?.headers['countersign-dead-letter-omitted-sha256']).toBe(
    createHash('sha256').update(large).digest('hex'),
  );
});

test('a message of the dead-letter topic that is none of ours is not taken for one', () => {
  expect(parseDeadLetter(recordOf({}))).toBeNull();
});

test('re-publishes a record once on the partition of its payment, with its bytes, its time and a mark', async () => {
  const topic = await makeTopic(4);
  const paymentKey = 'square:merchant-1:P1';
  const partition = partitionOfKey(paymentKey, 4);
  const record = recordOf({ topic, partition: (partition + 1) % 4 });
  await createRekeySink(producer).write([{ record, paymentKey, partition }]);
  const [moved, ...others] = await readAll(reader, topic, partition);
  expect(others).toEqual([]);
  expect(moved?.key?.toString()).toBe(paymentKey);
  expect(moved).toMatchObject({ value: record.value, timestamp: record.timestamp });
  expect(moved?.headers).toEqual({ ...record.headers, [REKEYED_HEADER]: `${record.partition}:42` });
  // The client's own partitioner, and so Java's, agrees on where the key belongs.
  await producer.send({ topic, messages: [{ key: paymentKey, value: 'x' }] });
  expect(await readAll(reader, topic, partition)).toHaveLength(2);
});

test('refuses to re-publish a record a second time, so that none can go round for ever', async () => {
  const record = recordOf({ headers: { [REKEYED_HEADER]: '0:1' } });
  await expect(createRekeySink(producer).write([{ record, paymentKey: 'p', partition: 0 }])).rejects.toThrow(TypeError);
});
