import kafkajs, { type Kafka, type Message, type Producer } from 'kafkajs';
import { OperatingError } from '../../errors.ts';
import type { OutgoingRecord, RecordSink } from '../../ports/record-sink.ts';
import { prefixedTopic } from '../../records/index.ts';
import { brokerErrorType, brokerUnavailable } from './broker-error.ts';
import { messageChunks } from './message-chunks.ts';

const TOO_LARGE = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];

/** Publishes through an idempotent producer, acknowledged by every replica in sync. Connects when it is first written to. */
export const createKafkaRecordSink = (kafka: Kafka, topicPrefix: string): RecordSink => {
  const producer = kafka.producer({
    idempotent: true,
    // More than one in flight may change the order of what the broker makes us send again.
    maxInFlightRequests: 1,
    // Java's own, whatever the client library's default is: all topics must agree on a key's partition.
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  const connected = once(() => producer.connect());
  return {
    write: async (records) => {
      const byTopic = new Map<string, { readonly message: Message }[]>();
      for (const record of records) {
        const topic = prefixedTopic(topicPrefix, record.topic);
        const list = byTopic.get(topic) ?? [];
        list.push({ message: messageOf(record) });
        byTopic.set(topic, list);
      }
      await guarded('connecting to publish records', connected);
      for (const [topic, list] of byTopic) {
        for (const chunk of messageChunks(list)) {
          const messages = chunk.map(({ message }) => message);
          await guarded(`publishing records to ${topic}`, async () => await send(producer, topic, messages));
        }
      }
    },
    close: async () => await producer.disconnect(),
  };
};

const send = async (producer: Producer, topic: string, messages: Message[]): Promise<void> => {
  await producer.send({ topic, acks: -1, messages });
};

const messageOf = ({ key, value, headers, timestamp }: OutgoingRecord): Message => ({
  key,
  value,
  headers: { ...headers },
  timestamp: String(timestamp),
});

const guarded = async (doing: string, action: () => Promise<void>): Promise<void> => {
  try {
    await action();
  } catch (cause) {
    if (!TOO_LARGE.includes(brokerErrorType(cause))) throw brokerUnavailable(doing, cause);
    throw new OperatingError('RECORD_TOO_LARGE', `${doing}: a record is larger than the topic takes`, { cause });
  }
};

/** Does it once for however many callers; after a failure the next caller tries again. */
const once = (action: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | null = null;
  return async () => {
    running ??= action().catch((error: unknown) => {
      running = null;
      throw error;
    });
    await running;
  };
};
