import kafkajs, { type Message, type Producer, type Transaction } from 'kafkajs';
import { systemTimers } from '../../ports/timers.ts';
import { brokerErrorType } from './broker-error.ts';
import { PUBLISH_RETRY, type Publication } from './publication.ts';
import { type PublishedPosition, printPositionMetadata } from './published-position.ts';

/** `sendOffsets` answers these on a fresh broker and right after another transaction; the client does not try again. */
const SEND_OFFSETS_AGAIN = new Set([
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'CONCURRENT_TRANSACTIONS',
]);
const SEND_OFFSETS_TRIES = 20;

/** A producer that has never begun a transaction: its first one ends the former owner's and fences it. */
export const createTransactionalProducer = async ({ kafka, transactionalId }: Publication): Promise<Producer> => {
  const producer = kafka.producer({
    transactionalId,
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    retry: PUBLISH_RETRY,
  });
  await producer.connect();
  return producer;
};

const sendOffsets = async (
  transaction: Transaction,
  { positionGroup, positionTopic, shard, timers = systemTimers }: Publication,
  position: PublishedPosition,
): Promise<void> => {
  const partition = { partition: shard, offset: String(position.next), metadata: printPositionMetadata(position) };
  const request = { consumerGroupId: positionGroup, topics: [{ topic: positionTopic, partitions: [partition] }] };
  for (let tries = 1, waitMs = 5; ; tries += 1, waitMs *= 1.5) {
    try {
      return await transaction.sendOffsets(request);
    } catch (error) {
      if (tries === SEND_OFFSETS_TRIES || !SEND_OFFSETS_AGAIN.has(brokerErrorType(error))) throw error;
      await timers.wait(waitMs);
    }
  }
};

/**
 * Publishes and commits in the transaction that has begun: the messages first, then the position (the other order is
 * refused), then the token, and only then the commit. Returns false, with the transaction aborted, where the shard is
 * another's by now.
 */
export const commitVerdicts = async (
  transaction: Transaction,
  publication: Publication,
  token: string,
  chunks: readonly Message[][],
  position: PublishedPosition,
): Promise<boolean> => {
  const { store, shard, topic, faults } = publication;
  for (const messages of chunks) await transaction.send({ topic, acks: -1, messages });
  await faults.hit('publish-sent');
  await faults.hit('before-offset');
  await sendOffsets(transaction, publication, position);
  await faults.hit('after-offset');
  if (!(await store.owns(shard, token))) {
    await transaction.abort();
    return false;
  }
  await transaction.commit();
  return true;
};
