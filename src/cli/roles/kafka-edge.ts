import kafkajs, { type Admin, type Kafka, type Producer } from 'kafkajs';
import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import { createAvroEncoder } from '../../drivers/kafka/avro-encoder.ts';
import { brokerUnavailable } from '../../drivers/kafka/broker-error.ts';
import { connectKafka } from '../../drivers/kafka/connect.ts';
import { createPartitionReader, type PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import { PUBLISH_RETRY } from '../../drivers/kafka/publication.ts';
import { registerSchemas } from '../../drivers/kafka/registry.ts';
import { SchemaCache } from '../../drivers/kafka/schema-cache.ts';
import { OperatingError } from '../../errors.ts';
import { systemClock } from '../../ports/clock.ts';
import { jsonEncoder, type RecordEncoder } from '../../ports/record-encoder.ts';
import type { SchemaLookup } from '../../ports/schema-lookup.ts';

/** A process's connections to Kafka and the registry. */
export interface KafkaEdge {
  /** for groups, producers and admin */
  readonly kafka: Kafka;
  /** for transactions: with short waits */
  readonly publishing: Kafka;
  readonly admin: Admin;
  /** not transactional */
  readonly producer: Producer;
  readonly reader: PartitionReader;
  readonly schemas: SchemaLookup | null;
  close(): Promise<void>;
}

/** Connects. Throws BROKER_UNAVAILABLE. */
export const openKafkaEdge = async (config: Config, logger: Logger): Promise<KafkaEdge> => {
  const kafka = connectKafka(config.kafka, logger);
  const publishing = connectKafka(config.kafka, logger, PUBLISH_RETRY);
  const admin = kafka.admin();
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
  });
  const reader = createPartitionReader(kafka);
  try {
    await Promise.all([admin.connect(), producer.connect()]);
  } catch (cause) {
    await Promise.allSettled([admin.disconnect(), producer.disconnect()]);
    throw brokerUnavailable(`connecting to ${config.kafka.brokers.join(', ')}`, cause);
  }
  const { url } = config.registry;
  return {
    kafka,
    publishing,
    admin,
    producer,
    reader,
    schemas: url === undefined ? null : new SchemaCache({ ...config.registry, url }, systemClock),
    close: async () => {
      await Promise.allSettled([admin.disconnect(), producer.disconnect(), reader.close()]);
    },
  };
};

/** Avro by the registry's ids where one is configured (its schemas are registered on the way), else JSON. */
export const recordEncoder = async ({ registry, kafka }: Config): Promise<RecordEncoder> => {
  const { url } = registry;
  if (url === undefined) return jsonEncoder;
  const register = () => registerSchemas({ ...registry, url }, kafka.topic_prefix);
  try {
    return createAvroEncoder(await register());
  } catch (error) {
    if (!(error instanceof OperatingError) || error.code !== 'CONFIG_INVALID') throw error;
    // Two processes that register a new subject at the same time: one is refused, and finds it there the next time.
    return createAvroEncoder(await register());
  }
};
