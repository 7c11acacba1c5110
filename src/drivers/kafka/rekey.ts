import type { Message, Producer } from 'kafkajs';
import { REKEYED_HEADER } from '../../ports/consumed-record.ts';
import type { RekeyedRecord, RekeySink } from '../../ports/dead-letters.ts';
import { brokerUnavailable } from './broker-error.ts';
import { messageChunks } from './message-chunks.ts';

const messageOf = ({ record, paymentKey, partition }: RekeyedRecord): Message => {
  if (record.headers[REKEYED_HEADER] !== undefined) {
    // Sent on again it could go round for ever. The stages dead-letter it (WRONG_PARTITION) and never bring it here.
    throw new TypeError(`${record.topic}/${record.partition}@${record.offset} has been re-keyed before`);
  }
  return {
    key: paymentKey,
    value: record.value === null ? null : Buffer.from(record.value),
    partition,
    timestamp: String(record.timestamp),
    headers: { ...record.headers, [REKEYED_HEADER]: `${record.partition}:${record.offset}` },
  };
};

/**
 * Publishes records on the right partition of their own topic, whatever their producer's partitioner made of their key.
 * `producer` is connected and not transactional.
 */
export const createRekeySink = (producer: Producer): RekeySink => ({
  write: async (records) => {
    const byTopic = new Map<string, RekeyedRecord[]>();
    for (const each of records) {
      const list = byTopic.get(each.record.topic) ?? [];
      list.push(each);
      byTopic.set(each.record.topic, list);
    }
    for (const [topic, list] of byTopic) {
      for (const chunk of messageChunks(list.map((each) => ({ message: messageOf(each) })))) {
        try {
          await producer.send({ topic, acks: -1, messages: chunk.map(({ message }) => message) });
        } catch (cause) {
          throw brokerUnavailable(`re-publishing records of ${topic} on their right partition`, cause);
        }
      }
    }
  },
});
