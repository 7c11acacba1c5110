import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import type { ShardState } from '../../consumers/shard.ts';
import type { ShardDeps } from '../../consumers/shard-deps.ts';
import { ShardSet } from '../../consumers/shard-set.ts';
import { StateCache } from '../../consumers/state-cache.ts';
import { createAtLeastOncePublisher } from '../../drivers/kafka/at-least-once-publisher.ts';
import { createDeadLetterSink } from '../../drivers/kafka/dead-letter.ts';
import { createInputConsumer, type InputConsumer } from '../../drivers/kafka/input-consumer.ts';
import type { ReceiptLog } from '../../drivers/kafka/receipt-log.ts';
import { createKafkaRecordSink } from '../../drivers/kafka/record-sink.ts';
import { createRekeySink } from '../../drivers/kafka/rekey.ts';
import { partitionCounts } from '../../drivers/kafka/topics.ts';
import { verdictDecoder, verdictEncoder } from '../../drivers/kafka/verdict-codec.ts';
import type { VerdictEncoder } from '../../drivers/kafka/verdict-messages.ts';
import { createTransactionalPublisher } from '../../drivers/kafka/verdict-publisher.ts';
import { createRedis } from '../../drivers/redis/connect.ts';
import { createRedisHandoffIndex } from '../../drivers/redis/handoff-index.ts';
import { RedisShardStore } from '../../drivers/redis/shard-store.ts';
import { OperatingError } from '../../errors.ts';
import type { Readiness } from '../../observability/health-server.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { Progress } from '../../observability/progress.ts';
import { Waits } from '../../observability/waits.ts';
import { systemClock } from '../../ports/clock.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { RecordEncoder } from '../../ports/record-encoder.ts';
import type { RecordSink } from '../../ports/record-sink.ts';
import { createSealCheck } from '../../records/seal.ts';
import {
  DEAD_LETTER_TOPIC,
  HANDOFFS_TOPIC,
  INPUT_TOPICS,
  prefixedTopic,
  RECEIPTS_TOPIC,
  VERDICTS_TOPIC,
} from '../../records/topics.ts';
import { openReceiptSealer } from '../receipt-keys.ts';
import { createForwardSink } from './forward-sink.ts';
import { type KafkaEdge, openKafkaEdge, recordEncoder } from './kafka-edge.ts';
import { persist } from './persist.ts';
import { watchEnds } from './watch-ends.ts';

export interface ProcessOptions {
  readonly config: Config;
  readonly batch: BatchDeps;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly faults: FaultPoints;
  /** the process cannot go on: a fault of the program, or a consumer that will not come back */
  readonly onFatal: (error: unknown) => void;
}

/** The keyed consumer on Kafka and Redis. */
export interface ProcessRole {
  readiness(): Readiness;
  /** Stops intake, finishes what is at hand, publishes, leaves the group. */
  stop(): Promise<void>;
}

/** How many partitions every topic has. Throws CONFIG_INVALID where one is missing or has another count. */
const checkedPartitions = async ({ admin }: KafkaEdge, topics: readonly string[]): Promise<number> => {
  const counts = await partitionCounts(admin, topics);
  const missing = topics.filter((topic) => !counts.has(topic));
  if (missing.length > 0) {
    const problem = `topics ${missing.join(', ')} do not exist; \`countersign topics create\` makes them`;
    throw new OperatingError('CONFIG_INVALID', problem);
  }
  const [first = 0] = counts.values();
  if ([...counts.values()].some((count) => count !== first)) {
    const found = [...counts].map(([topic, count]) => `${topic} ${count}`).join(', ');
    throw new OperatingError('CONFIG_INVALID', `the topics must have the same partition count; they have: ${found}`);
  }
  return first;
};

/** The registry may come later than we do: it is asked when the first verdict is to be written, and again until it answers. */
const lazyEncoder = (config: Config): (() => Promise<RecordEncoder>) => {
  let encoder: Promise<RecordEncoder> | null = null;
  return () => {
    encoder ??= recordEncoder(config).catch((error: unknown) => {
      encoder = null;
      throw error;
    });
    return encoder;
  };
};

const shardDeps = (
  options: ProcessOptions,
  edge: KafkaEdge,
  log: InputConsumer,
  partitions: number,
  receipts: ReceiptLog | null,
  forwarding: RecordSink,
): ShardDeps => {
  const { config, batch, logger, metrics, faults, onFatal } = options;
  const { kafka, processing, limits, seals } = config;
  const redis = createRedis(config.redis);
  const store = new RedisShardStore(redis, config.redis.prefix);
  const encoder = lazyEncoder(config);
  const encodeAs =
    (kind: 'verdict' | 'handoff.decided'): VerdictEncoder =>
    async (values) =>
      verdictEncoder(await encoder(), kind)(values);
  const publication = {
    kafka: edge.publishing,
    admin: edge.admin,
    reader: edge.reader,
    store,
    topic: prefixedTopic(kafka.topic_prefix, VERDICTS_TOPIC),
    positionGroup: `${kafka.group}-published`,
    positionTopic: prefixedTopic(kafka.topic_prefix, INPUT_TOPICS[0]),
    encode: encodeAs('verdict'),
    handoffs: { topic: prefixedTopic(kafka.topic_prefix, HANDOFFS_TOPIC), encode: encodeAs('handoff.decided') },
    decode: verdictDecoder(edge.schemas),
    receipts,
    faults,
  };
  const createPublisher = kafka.transactional ? createTransactionalPublisher : createAtLeastOncePublisher;
  return {
    batch: receipts === null ? batch : { ...batch, reduce: receipts.sealer.link(batch.reduce) },
    decode: {
      schemas: edge.schemas,
      maxBytes: limits.record_bytes,
      checkSeal: createSealCheck(seals.mode, seals.keys),
    },
    store,
    log,
    deadLetters: createDeadLetterSink(edge.producer, prefixedTopic(kafka.topic_prefix, DEAD_LETTER_TOPIC)),
    rekeys: createRekeySink(edge.producer),
    forwards: createForwardSink(config, forwarding, encoder),
    charges: createRedisHandoffIndex(redis, config.redis.prefix).charges,
    publisherOf: (shard) =>
      createPublisher({ ...publication, shard, transactionalId: `${kafka.group}-verdicts-${shard}` }),
    cacheOf: () =>
      new StateCache({
        entries: Math.ceil(processing.cache_payments / partitions),
        chars: Math.ceil(processing.cache_chars / partitions),
      }),
    partitions,
    batchRecords: processing.batch_records,
    backoff: { minMs: processing.backoff_min_ms, maxMs: processing.backoff_max_ms },
    newOwner: randomUUID,
    faults,
    logger,
    metrics,
    onFatal,
  };
};

/** The topic of receipts and what makes them; null where no keys are configured. */
const receiptLog = async ({ config, logger, metrics }: ProcessOptions): Promise<ReceiptLog | null> => {
  const topic = prefixedTopic(config.kafka.topic_prefix, RECEIPTS_TOPIC);
  const sealer = await openReceiptSealer(config.receipts.keys, topic, logger, metrics);
  return sealer === null ? null : { topic, sealer };
};

const TROUBLED: Readonly<Record<ShardState, string>> = {
  claiming: 'is being taken over',
  running: 'has not done anything since a fault',
  paused: 'pauses',
  fenced: 'is fenced',
  halted: 'is halted',
  released: 'is released',
};

interface Watched {
  readonly progress: Progress;
  readonly waits: Waits;
}

const readinessOf = (
  consumer: InputConsumer,
  shards: ShardSet,
  { progress, waits }: Watched,
  hasJoined: boolean,
): Readiness => {
  const facts = shards.facts();
  const unequal = consumer.unequalCounts();
  const reasons = [
    ...(hasJoined ? [] : ['it has not joined its group yet']),
    ...(unequal === null ? [] : [`the input topics have different partition counts: ${JSON.stringify(unequal)}`]),
    ...facts
      .filter(({ trouble }) => trouble !== null)
      .map(({ shard, state, trouble }) => `shard ${shard} ${TROUBLED[state]}: ${trouble}`),
    ...progress
      .stalls()
      .map(
        ({ partition, lag, sinceMs }) => `${partition} has ${lag} records to do and has not moved for ${sinceMs} ms`,
      ),
    ...waits.overdue().map(({ what, sinceMs }) => `${what} for ${sinceMs} ms`),
  ];
  return { ready: reasons.length === 0, reasons, facts: { shards: facts } };
};

/** Connects, checks, joins the group. Throws CONFIG_INVALID where the topics or the stored state do not fit. */
export const startProcessRole = async (options: ProcessOptions): Promise<ProcessRole> => {
  const { config, logger, metrics, onFatal } = options;
  const { kafka, processing } = config;
  const edge = await persist(options, () => openKafkaEdge(config, logger));
  const inputs = INPUT_TOPICS.map((topic) => prefixedTopic(kafka.topic_prefix, topic));
  const verdicts = prefixedTopic(kafka.topic_prefix, VERDICTS_TOPIC);
  const receipts = await receiptLog(options);
  const handoffs = prefixedTopic(kafka.topic_prefix, HANDOFFS_TOPIC);
  const outputs = receipts === null ? [verdicts, handoffs] : [verdicts, handoffs, receipts.topic];
  const partitions = await persist(options, () => checkedPartitions(edge, [...inputs, ...outputs]));
  const consumer = createInputConsumer({
    kafka: edge.kafka,
    reader: edge.reader,
    group: kafka.group,
    topics: inputs,
    partitions,
    sessionTimeoutMs: kafka.session_timeout_ms,
    rebalanceTimeoutMs: kafka.rebalance_timeout_ms,
    heartbeatIntervalMs: kafka.heartbeat_interval_ms,
    fetchMaxWaitMs: kafka.fetch_max_wait_ms,
    fetchMaxBytes: kafka.fetch_max_bytes,
    clock: systemClock,
  });
  const forwarding = createKafkaRecordSink(edge.kafka, kafka.topic_prefix);
  const deps = shardDeps(options, edge, consumer, partitions, receipts, forwarding);
  await persist(options, () => deps.store.checkPartitionCount(partitions));
  const shards = new ShardSet(deps);
  const progress = new Progress(systemClock, processing.stall_after_ms);
  const waits = new Waits(systemClock, processing.stall_after_ms);
  const ends = watchEnds({
    reader: edge.reader,
    topics: inputs,
    shards,
    store: deps.store,
    progress,
    waits,
    metrics,
    logger,
    intervalMs: processing.due_check_ms,
    onFatal,
  });
  let hasJoined = false;
  await consumer.start({
    assigned: (ids) => {
      hasJoined = true;
      shards.assign(ids);
      logger.info({ shards: ids }, 'joined the group');
    },
    heartbeat: () => shards.heartbeat(),
    deliver: (batch) => shards.deliver(batch),
    skipped: (shard, topic, from, next) => shards.skipped(shard, topic, from, next),
    crashed: onFatal,
  });
  return {
    readiness: () => readinessOf(consumer, shards, { progress, waits }, hasJoined),
    stop: async () => {
      await ends.stop();
      await consumer.stop();
      await shards.releaseAll();
      await Promise.allSettled([deps.store.close(), forwarding.close(), edge.close()]);
    },
  };
};
