import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import { sealKeyOf } from '../../config/seal-key.ts';
import { connectKafka } from '../../drivers/kafka/connect.ts';
import { createKafkaRecordSink } from '../../drivers/kafka/record-sink.ts';
import { partitionCounts } from '../../drivers/kafka/topics.ts';
import { createRedis } from '../../drivers/redis/connect.ts';
import { RedisRateLimiter } from '../../drivers/redis/rate-limiter.ts';
import { RedisShardStore } from '../../drivers/redis/shard-store.ts';
import { OperatingError } from '../../errors.ts';
import type { ContractSet } from '../../evaluator/index.ts';
import type { Readiness } from '../../observability/health-server.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { createReadbackProducer } from '../../producers/readback-producer.ts';
import { prefixedTopic } from '../../records/index.ts';
import { faultPointsFrom } from '../fault-injection.ts';
import { recordEncoder } from './kafka-edge.ts';
import { persist } from './persist.ts';
import { startReadbackWorker } from './readback-worker.ts';

export interface ReadbackRoleOptions {
  readonly config: Config;
  readonly contracts: ContractSet;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onFatal: (error: unknown) => void;
}

export interface ReadbackRole {
  readiness(): Readiness;
  stop(): Promise<void>;
}

const TOPIC = 'readback-result';
/** Of the time to stop, what is kept for closing the connections. */
const CLOSE_MS = 2_000;

/** The worker on Redis and Kafka. Throws CONFIG_INVALID where the topic is missing or the state has other partitions. */
export const startReadbackRole = async (options: ReadbackRoleOptions): Promise<ReadbackRole> => {
  const { config, contracts, logger, metrics, onFatal } = options;
  const kafka = connectKafka(config.kafka, logger);
  const topic = prefixedTopic(config.kafka.topic_prefix, TOPIC);
  const partitions = await persist(options, async () => {
    const admin = kafka.admin();
    try {
      await admin.connect().catch((cause: unknown) => {
        throw new OperatingError('BROKER_UNAVAILABLE', 'the brokers cannot be reached', { cause });
      });
      return (await partitionCounts(admin, [topic])).get(topic) ?? 0;
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  });
  if (partitions === 0) {
    throw new OperatingError('CONFIG_INVALID', `topic ${topic} does not exist; \`countersign topics create\` makes it`);
  }
  const encoder = await persist(options, () => recordEncoder(config));
  const redis = createRedis(config.redis);
  const store = new RedisShardStore(redis, config.redis.prefix);
  await persist(options, () => store.checkPartitionCount(partitions));
  const sink = createKafkaRecordSink(kafka, config.kafka.topic_prefix);
  const seal = config.seals.mode === 'off' ? undefined : sealKeyOf(config.seals);
  const worker = startReadbackWorker({
    config,
    contracts,
    store,
    shards: Array.from({ length: partitions }, (_, shard) => shard),
    limiter: new RedisRateLimiter(redis, config.redis.prefix),
    producer: createReadbackProducer({ sink, source: '/countersign/readback', encoder, seal }),
    logger,
    metrics,
    onFatal,
    faults: faultPointsFrom(process.env),
  });
  return {
    readiness: () => worker.readiness(),
    stop: async () => {
      await worker.stop(Math.max(0, config.processing.stop_timeout_ms - CLOSE_MS));
      await Promise.allSettled([sink.close(), store.close()]);
    },
  };
};
