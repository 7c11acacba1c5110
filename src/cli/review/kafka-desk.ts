import type { Config } from '../../config/schema.ts';
import { questionOf, type ReviewQuestion, ReviewQueue } from '../../console/review-queue.ts';
import { readTopic } from '../../drivers/kafka/read-partition.ts';
import { createKafkaRecordSink } from '../../drivers/kafka/record-sink.ts';
import { verdictDecoder } from '../../drivers/kafka/verdict-codec.ts';
import type { VerdictRecord } from '../../evaluator/index.ts';
import type { RecordSink } from '../../ports/record-sink.ts';
import type { SealKey } from '../../records/seal.ts';
import { prefixedTopic, VERDICTS_TOPIC } from '../../records/topics.ts';
import { type KafkaEdge, recordEncoder } from '../roles/kafka-edge.ts';
import { publishedOf } from '../roles/published-of.ts';
import type { ReviewDesk } from './desk.ts';
import { openStoredPresent } from './stored-present.ts';

/** The key that this process seals with: the one that is named, else the first. */
const sealOf = ({ seals }: Config): SealKey | undefined =>
  seals.mode === 'off' ? undefined : (seals.keys.find(({ id }) => id === seals.sign_with) ?? seals.keys[0]);

/** The queue as the verdicts topic has it; decisions go to review-decided. */
export const kafkaDesk = (config: Config, { kafka, reader, schemas }: KafkaEdge): ReviewDesk => {
  const topic = prefixedTopic(config.kafka.topic_prefix, VERDICTS_TOPIC);
  const decode = verdictDecoder(schemas);
  let sink: RecordSink | null = null;
  return {
    questions: async () => {
      const queue = new ReviewQueue();
      for await (const records of readTopic(reader, topic)) {
        for (const { value } of records) if (value !== null) queue.apply((await decode(value)) as VerdictRecord);
      }
      const present = await openStoredPresent(config, (message) => process.stderr.write(`countersign: ${message}\n`));
      try {
        const questions: ReviewQuestion[] = [];
        for (const verdict of queue.list()) questions.push(questionOf(verdict, await present.of(verdict)));
        return questions;
      } finally {
        await present.close();
      }
    },
    latest: async (operation) => (await publishedOf(reader, topic, operation, decode)).at(-1) ?? null,
    producer: async () => {
      sink ??= createKafkaRecordSink(kafka, config.kafka.topic_prefix);
      return { sink, encoder: await recordEncoder(config), seal: sealOf(config) };
    },
    close: async () => {
      await sink?.close();
    },
  };
};
