import type { Message } from 'kafkajs';
import { type SizedBatch, sizeBatch, writeBatch } from './batch-writer.ts';
import { stringSize, WireWriter } from './wire-writer.ts';

/** What the client asks its protocol to write. */
export interface ProduceRequest {
  readonly acks: number;
  readonly timeout: number;
  readonly transactionalId?: string | null;
  /** 64 bits; the client has it as text, and -1 as an object of its own */
  readonly producerId?: { toString(): string };
  readonly producerEpoch?: number;
  readonly compression?: number;
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly firstSequence?: number;
      readonly messages: readonly Message[];
    }[];
  }[];
}

interface SizedPartition {
  readonly partition: number;
  readonly firstSequence: number;
  readonly batch: SizedBatch;
}

interface SizedTopic {
  readonly topic: string;
  readonly partitions: readonly SizedPartition[];
}

const INT16_BYTES = 2;
const INT32_BYTES = 4;

const sizeTopic = ({ topic, partitions }: ProduceRequest['topicData'][number], now: number): SizedTopic => ({
  topic,
  partitions: partitions.map(({ partition, firstSequence = 0, messages }) => ({
    partition,
    firstSequence,
    batch: sizeBatch(messages, now),
  })),
});

const topicSize = ({ topic, partitions }: SizedTopic): number =>
  partitions.reduce((sum, { batch }) => sum + 2 * INT32_BYTES + batch.size, stringSize(topic) + INT32_BYTES);

/** The body of a produce request, version 3 and later (https://kafka.apache.org/protocol#The_Messages_Produce). */
export const encodeProduceRequest = (request: ProduceRequest, now: number): Buffer => {
  const { acks, timeout, transactionalId = null, producerId = -1n, producerEpoch = 0 } = request;
  const topics = request.topicData.map((topic) => sizeTopic(topic, now));
  const headSize = stringSize(transactionalId) + INT16_BYTES + 2 * INT32_BYTES;
  const writer = new WireWriter(topics.reduce((sum, topic) => sum + topicSize(topic), headSize));
  writer.string(transactionalId);
  writer.int16(acks);
  writer.int32(timeout);
  writer.int32(topics.length);
  const origin = {
    producerId: BigInt(producerId.toString()),
    producerEpoch,
    isTransactional: transactionalId !== null && transactionalId !== '',
  };
  for (const { topic, partitions } of topics) {
    writer.string(topic);
    writer.int32(partitions.length);
    for (const { partition, firstSequence, batch } of partitions) {
      writer.int32(partition);
      writer.int32(batch.size);
      writeBatch(writer, batch, { ...origin, firstSequence });
    }
  }
  return writer.buffer;
};
