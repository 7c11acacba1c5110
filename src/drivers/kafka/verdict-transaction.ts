import kafkajs, { type Producer, type TopicMessages, type Transaction } from 'kafkajs';
import { systemTimers } from '../../ports/timers.ts';
import { brokerErrorType } from './broker-error.ts';
import { PUBLISH_RETRY, type Publication } from './publication.ts';
import { type PublishedPosition, printPositionMetadata } from './published-position.ts';
import type { SealedPage } from './seal-page.ts';

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

/** Both topics' messages go out together: each is bounded by what a partition takes, not by the request. */
const requestsOf = ({ verdicts, receipts }: Pick<SealedPage, 'verdicts' | 'receipts'>): TopicMessages[][] =>
  Array.from({ length: Math.max(verdicts.length, receipts.length) }, (_, index) =>
    [verdicts[index], receipts[index]].filter((part) => part !== undefined),
  );

/**
 * Publishes and commits in the transaction that has begun: the messages first, then the position (the other order is
 * refused), then the token, and only then the commit. Returns false, with the transaction aborted, where the shard is
 * another's by now.
 */
export const commitVerdicts = async (
  transaction: Transaction,
  publication: Publication,
  token: string,
  page: Pick<SealedPage, 'verdicts' | 'receipts'>,
  position: PublishedPosition,
): Promise<boolean> => {
  const { store, shard, faults } = publication;
  for (const topicMessages of requestsOf(page)) await transaction.sendBatch({ acks: -1, topicMessages });
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
