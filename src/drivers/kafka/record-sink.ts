import kafkajs, { type Kafka, type Message, type Producer } from 'kafkajs';
import { OperatingError } from '../../errors.ts';
import type { OutgoingRecord, RecordSink } from '../../ports/record-sink.ts';
import { prefixedTopic } from '../../records/index.ts';
import { brokerErrorType, brokerUnavailable } from './broker-error.ts';
import { messageChunks } from './message-chunks.ts';

const TOO_LARGE = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];

/**
 * Publishes through an idempotent producer, acknowledged by every replica in sync. Connects when it is first written to.
 *
 * One write at a time, and a producer of its own after one that failed: the client takes back the sequence numbers of a batch
 * whose answer was lost. The next batch would get the same ones, and a broker that has the first takes the second for its repeat:
 * acknowledged, and nowhere.
 */
export const createKafkaRecordSink = (kafka: Kafka, topicPrefix: string): RecordSink => {
  let current: Promise<Producer> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const connected = async (): Promise<Producer> => {
    const producer = kafka.producer({
      idempotent: true,
      // More than one in flight may change the order of what the broker makes us send again.
      maxInFlightRequests: 1,
      // Java's own, whatever the client library's default is: all topics must agree on a key's partition.
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
    await producer.connect();
    return producer;
  };

  const discard = (): void => {
    const old = current;
    current = null;
    old?.then(async (producer) => await producer.disconnect()).catch(() => undefined);
  };

  const guarded = async <T>(doing: string, action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (cause) {
      discard();
      if (!TOO_LARGE.includes(brokerErrorType(cause))) throw brokerUnavailable(doing, cause);
      throw new OperatingError('RECORD_TOO_LARGE', `${doing}: a record is larger than the topic takes`, { cause });
    }
  };

  const writeNow = async (records: readonly OutgoingRecord[]): Promise<void> => {
    const byTopic = new Map<string, { readonly message: Message }[]>();
    for (const record of records) {
      const topic = prefixedTopic(topicPrefix, record.topic);
      const list = byTopic.get(topic) ?? [];
      list.push({ message: messageOf(record) });
      byTopic.set(topic, list);
    }
    const producer = await guarded('connecting to publish records', () => {
      current ??= connected();
      return current;
    });
    for (const [topic, list] of byTopic) {
      for (const chunk of messageChunks(list)) {
        const messages = chunk.map(({ message }) => message);
        await guarded(`publishing records to ${topic}`, async () => await send(producer, topic, messages));
      }
    }
  };

  return {
    write: (records) => {
      const written = last.then(async () => await writeNow(records));
      last = written.catch(() => undefined);
      return written;
    },
    close: async () => {
      await last;
      const producer = await current?.catch(() => null);
      await producer?.disconnect();
    },
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
