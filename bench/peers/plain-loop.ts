/**
 * The least that a consumer of these topics could do: reads them with KafkaJS and writes two verdict-sized records an operation in
 * transactions. No parsing, no state. Prints a line of JSON with the records consumed whenever that has grown.
 *
 *   COUNTERSIGN_BROKERS=… tsx bench/peers/plain-loop.ts PREFIX VERDICT_BYTES RECORDS_PER_OPERATION
 */
import kafkajs from 'kafkajs';

const [prefix = '', verdictBytes = '2700', recordsPerOperation = '4.4'] = process.argv.slice(2);
const INPUTS = ['operation-started', 'webhook-received', 'readback-result'].map((topic) => prefix + topic);
const VERDICT = Buffer.alloc(Number(verdictBytes), 'v');
const VERDICTS_A_RECORD = 2 / Number(recordsPerOperation);

const kafka = new kafkajs.Kafka({
  brokers: (process.env['COUNTERSIGN_BROKERS'] ?? '').split(','),
  clientId: 'plain-loop',
  logLevel: kafkajs.logLevel.NOTHING,
});
const consumer = kafka.consumer({ groupId: `${prefix}plain`, maxWaitTimeInMs: 100 });
const retry = { initialRetryTime: 5, factor: 0, multiplier: 1.5, retries: 20 };
/** A transactional id runs one transaction at a time, so each partition that is read has its own. */
const producers = new Map<string, Promise<kafkajs.Producer>>();

const producerOf = (id: string): Promise<kafkajs.Producer> => {
  const made = kafka.producer({ transactionalId: id, idempotent: true, maxInFlightRequests: 1, retry });
  const held = producers.get(id) ?? made.connect().then(() => made);
  producers.set(id, held);
  return held;
};

let consumed = 0;
let owed = 0;
setInterval(() => process.stdout.write(`${JSON.stringify({ consumed })}\n`), 100);

await consumer.connect();
await consumer.subscribe({ topics: INPUTS, fromBeginning: true });
await consumer.run({
  autoCommit: false,
  partitionsConsumedConcurrently: 12,
  eachBatch: async ({ batch, heartbeat, resolveOffset }) => {
    const producer = await producerOf(`${prefix}plain-${batch.topic}-${batch.partition}`);
    for (let from = 0; from < batch.messages.length; from += 1000) {
      const messages = batch.messages.slice(from, from + 1000);
      const last = messages.at(-1);
      if (last === undefined) continue;
      const transaction = await producer.transaction();
      owed += messages.length * VERDICTS_A_RECORD;
      // A webhook is answered under its own key, so that the time until its verdict can be read is known.
      const answered = messages.filter((_unused, index) => batch.topic.endsWith('webhook-received') || index % 8 === 0);
      const out = answered.slice(0, Math.max(answered.length, Math.floor(owed)));
      while (out.length < Math.floor(owed)) out.push(messages[out.length % messages.length] ?? last);
      owed -= out.length;
      await transaction.send({
        topic: `${prefix}verdicts`,
        messages: out.map(({ key }) => ({ key, value: VERDICT, partition: batch.partition })),
      });
      const offset = String(BigInt(last.offset) + 1n);
      await transaction.sendOffsets({
        consumerGroupId: `${prefix}plain`,
        topics: [{ topic: batch.topic, partitions: [{ partition: batch.partition, offset }] }],
      });
      await transaction.commit();
      consumed += messages.length;
      resolveOffset(last.offset);
      await heartbeat();
    }
  },
});
