import { createHash } from 'node:crypto';
import kafkajs, { type Kafka, type Message, type Producer } from 'kafkajs';
import { OperatingError } from '../../errors.ts';
import { REKEYED_HEADER } from '../../ports/consumed-record.ts';
import { brokerUnavailable } from './broker-error.ts';
import { messageChunks } from './message-chunks.ts';
import type { PartitionReader } from './partition-reader.ts';
import { PUBLISH_RETRY } from './publication.ts';
import { readPartition } from './read-partition.ts';
import { type DeadLetter, REDRIVEN_FROM_HEADER, REDRIVEN_MARK_HEADER, readDeadLetters } from './redriven.ts';

/** A dead letter on its way back to its own topic. */
export interface Redriven {
  readonly letter: DeadLetter;
  /** the bytes to send: the letter's own, or those that its topic still holds */
  readonly value: Buffer | null;
  /** the partition of its payment; null: of its key, as every producer's */
  readonly partition: number | null;
}

const bytesOf = (bytes: Uint8Array | null): Buffer | null => (bytes === null ? null : Buffer.from(bytes));

/**
 * The bytes of a letter; those of one that was too large for the dead-letter topic from the place where it first stood. Null
 * where they are gone.
 */
export const originalValue = async (
  reader: PartitionReader,
  { record, omittedSha256 }: DeadLetter,
): Promise<{ readonly value: Buffer | null } | null> => {
  if (omittedSha256 === null) return { value: bytesOf(record.value) };
  const offset = BigInt(record.offset);
  try {
    for await (const { records } of readPartition(reader, record.topic, record.partition, offset, offset + 1n)) {
      const value = bytesOf(records.find((one) => one.offset === record.offset)?.value ?? null);
      if (value !== null && createHash('sha256').update(value).digest('hex') === omittedSha256) return { value };
    }
  } catch (error) {
    if (!(error instanceof OperatingError) || error.code !== 'OFFSETS_OUTSIDE_LOG') throw error;
  }
  return null;
};

const messageOf = ({ letter, value, partition }: Redriven): Message => {
  // A record that had been sent on once may be sent on once again: its mark stays behind.
  const { [REKEYED_HEADER]: _sentOn, ...headers } = letter.record.headers;
  return {
    key: bytesOf(letter.record.key),
    value,
    headers: { ...headers, [REDRIVEN_FROM_HEADER]: letter.id },
    ...(partition === null ? {} : { partition }),
  };
};

const markOf = ({ letter }: Redriven): Message => ({
  key: bytesOf(letter.record.key),
  value: null,
  partition: letter.at.partition,
  headers: { [REDRIVEN_MARK_HEADER]: letter.id },
});

export interface RedriveOptions {
  readonly kafka: Kafka;
  readonly reader: PartitionReader;
  /** full name of the dead-letter topic */
  readonly topic: string;
  /** one for all who redrive these letters: it is what makes them one after the other */
  readonly transactionalId: string;
}

/** Sends dead letters again, each once, whoever else does so at the same time. */
export interface Redrive {
  /** Answers with the ids that were sent: one that had been sent before is not among them. Throws BROKER_UNAVAILABLE. */
  send(letters: readonly Redriven[]): Promise<string[]>;
  close(): Promise<void>;
}

const byTopicOf = (letters: readonly Redriven[]): Map<string, Message[]> => {
  const byTopic = new Map<string, Message[]>();
  for (const one of letters) {
    const { topic } = one.letter.record;
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), messageOf(one)]);
  }
  return byTopic;
};

/** One transaction: it sends the letters and marks them. */
const sendAndMark = async (producer: Producer, topic: string, letters: readonly Redriven[]): Promise<void> => {
  const transaction = await producer.transaction();
  try {
    for (const [name, messages] of byTopicOf(letters)) await transaction.send({ topic: name, acks: -1, messages });
    await transaction.send({ topic, acks: -1, messages: letters.map(markOf) });
    await transaction.commit();
  } catch (error) {
    await transaction.abort().catch(() => undefined);
    throw error;
  }
};

/**
 * Takes the one transactional id under which letters are sent and marked. What is marked is read only after a transaction has
 * begun, which ends everybody else's: nobody can send a letter in between. Throws BROKER_UNAVAILABLE.
 */
export const openRedrive = async ({ kafka, reader, topic, transactionalId }: RedriveOptions): Promise<Redrive> => {
  const producer = kafka.producer({
    transactionalId,
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    retry: PUBLISH_RETRY,
  });
  const marked = new Set<string>();
  const failing = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (cause) {
      throw brokerUnavailable('sending dead letters again', cause);
    }
  };
  await failing(async () => {
    await producer.connect();
    const first = await producer.transaction();
    for await (const { id, isRedriven } of readDeadLetters(reader, topic)) if (isRedriven) marked.add(id);
    // Nothing is in it: it was begun to end a former one.
    await first.commit();
  });
  return {
    send: (letters) =>
      failing(async () => {
        const sent: string[] = [];
        const left = letters.filter(({ letter }) => !marked.has(letter.id));
        for (const chunk of messageChunks(left.map((one) => ({ one, message: messageOf(one) })))) {
          const ones = chunk.map(({ one }) => one);
          await sendAndMark(producer, topic, ones);
          for (const { letter } of ones) {
            marked.add(letter.id);
            sent.push(letter.id);
          }
        }
        return sent;
      }),
    close: async () => {
      await producer.disconnect().catch(() => undefined);
    },
  };
};
