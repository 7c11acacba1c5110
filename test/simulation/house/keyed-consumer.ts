import kafkajs from 'kafkajs';
import { pino } from 'pino';
import { createForwardSink } from '../../../src/cli/roles/forward-sink.ts';
import { watchEnds } from '../../../src/cli/roles/watch-ends.ts';
import type { BatchDeps } from '../../../src/consumers/batch-deps.ts';
import type { ShardDeps } from '../../../src/consumers/shard-deps.ts';
import { type ShardFacts, ShardSet } from '../../../src/consumers/shard-set.ts';
import { StateCache } from '../../../src/consumers/state-cache.ts';
import { createAtLeastOncePublisher } from '../../../src/drivers/kafka/at-least-once-publisher.ts';
import { createDeadLetterSink } from '../../../src/drivers/kafka/dead-letter.ts';
import { createInputConsumer, type InputConsumer } from '../../../src/drivers/kafka/input-consumer.ts';
import { createPartitionReader } from '../../../src/drivers/kafka/partition-reader.ts';
import { PUBLISH_RETRY } from '../../../src/drivers/kafka/publication.ts';
import { createKafkaRecordSink } from '../../../src/drivers/kafka/record-sink.ts';
import { createRekeySink } from '../../../src/drivers/kafka/rekey.ts';
import { verdictDecoder, verdictEncoder } from '../../../src/drivers/kafka/verdict-codec.ts';
import type { VerdictEncoder } from '../../../src/drivers/kafka/verdict-messages.ts';
import { createTransactionalPublisher } from '../../../src/drivers/kafka/verdict-publisher.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { Progress } from '../../../src/observability/progress.ts';
import { Waits } from '../../../src/observability/waits.ts';
import type { FaultPoint } from '../../../src/ports/fault-points.ts';
import type { OperationIndex } from '../../../src/ports/operation-index.ts';
import { createSealCheck } from '../../../src/records/seal.ts';
import {
  DEAD_LETTER_TOPIC,
  HANDOFFS_TOPIC,
  INPUT_TOPICS,
  RECEIPTS_TOPIC,
  VERDICTS_TOPIC,
} from '../../../src/records/topics.ts';
import type { Random } from '../random.ts';
import type { Instance } from './instance.ts';
import { simulatedKafka } from './kafka/client.ts';
import type { SimCluster } from './kafka/sim-cluster.ts';
import type { HouseMix } from './mix.ts';
import type { Scheduler } from './scheduler.ts';
import type { Sealing } from './sealing.ts';
import type { SimProcess } from './sim-process.ts';
import type { SimRegistry } from './sim-registry.ts';
import { SimShardStore, type StateServer } from './sim-shard-store.ts';
import { timeOf } from './sim-time.ts';
import { untilDone } from './until-done.ts';

export interface KeyedConsumerOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly cluster: SimCluster;
  readonly state: StateServer;
  readonly mix: HouseMix;
  readonly process: SimProcess;
  readonly batch: BatchDeps;
  readonly sealing: Sealing;
  readonly registry: SimRegistry;
  readonly charges: Pick<OperationIndex, 'add'>;
  /** called at each point; may kill the process */
  readonly hit: (point: FaultPoint) => void;
  readonly onFatal: (error: unknown) => void;
}

export interface KeyedConsumer extends Instance {
  facts(): readonly ShardFacts[];
}

const GROUP = 'countersign';
const metrics = createMetrics();
const logger = pino({ level: 'silent' });

/** A promise of a process that was killed while it waited. */
const never = new Promise<void>(() => undefined);

const shardDeps = (
  options: KeyedConsumerOptions,
  kafka: ReturnType<typeof simulatedKafka>,
  log: InputConsumer,
  reader: ReturnType<typeof createPartitionReader>,
): { readonly deps: ShardDeps; readonly connect: () => Promise<void>; readonly close: () => Promise<unknown> } => {
  const { scheduler, random, cluster, state, mix, process, batch, sealing, registry, charges, hit, onFatal } = options;
  const sealer = sealing.sealerOf(scheduler, process);
  const schemas = registry.lookupOf(process);
  const encoder = registry.encoderOf(process);
  const forwarding = createKafkaRecordSink(simulatedKafka(cluster, process), '');
  const encodeAs =
    (kind: 'verdict' | 'handoff.decided'): VerdictEncoder =>
    async (values) =>
      verdictEncoder(await encoder(), kind)(values);
  const store = new SimShardStore(state, process, random);
  const admin = kafka.admin();
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
  });
  const faults = {
    hit: (point: FaultPoint) => {
      hit(point);
      return process.isDead ? never : undefined;
    },
  };
  const publication = {
    kafka: simulatedKafka(cluster, process, PUBLISH_RETRY),
    admin,
    reader,
    store,
    topic: VERDICTS_TOPIC,
    positionGroup: `${GROUP}-published`,
    positionTopic: INPUT_TOPICS[0],
    encode: encodeAs('verdict'),
    handoffs: { topic: HANDOFFS_TOPIC, encode: encodeAs('handoff.decided') },
    decode: verdictDecoder(schemas),
    receipts: sealer === null ? null : { topic: RECEIPTS_TOPIC, sealer },
    faults,
    timers: timeOf(scheduler, process),
  };
  const createPublisher = mix.isTransactional ? createTransactionalPublisher : createAtLeastOncePublisher;
  let owners = 0;
  return {
    connect: async () => {
      await Promise.all([admin.connect(), producer.connect()]);
    },
    close: () =>
      Promise.allSettled([
        forwarding.close(),
        store.close(),
        admin.disconnect(),
        producer.disconnect(),
        reader.close(),
      ]),
    deps: {
      batch: sealer === null ? batch : { ...batch, reduce: sealer.link(batch.reduce) },
      decode: { schemas, maxBytes: 1 << 20, checkSeal: createSealCheck('off', []) },
      store,
      log,
      deadLetters: createDeadLetterSink(producer, DEAD_LETTER_TOPIC),
      rekeys: createRekeySink(producer),
      forwards: createForwardSink({ seals: { mode: 'off', keys: [] } }, forwarding, encoder),
      charges,
      publisherOf: (shard) => createPublisher({ ...publication, shard, transactionalId: `${GROUP}-verdicts-${shard}` }),
      cacheOf: () => new StateCache({ entries: mix.cachePayments, chars: 10_000_000 }),
      partitions: mix.partitions,
      batchRecords: mix.batchRecords,
      backoff: { minMs: 200, maxMs: 30_000 },
      newOwner: () => {
        owners += 1;
        return `${process.name}/${owners}`;
      },
      faults,
      logger,
      metrics,
      onFatal,
    },
  };
};

/** The keyed consumer as `countersign process` puts it together, on the simulated cluster and state server. */
export const startKeyedConsumer = (options: KeyedConsumerOptions): KeyedConsumer => {
  const { scheduler, cluster, mix, process, onFatal } = options;
  const time = timeOf(scheduler, process);
  const kafka = simulatedKafka(cluster, process);
  const reader = createPartitionReader(kafka);
  const consumer = createInputConsumer({
    kafka,
    reader,
    group: GROUP,
    topics: INPUT_TOPICS,
    partitions: mix.partitions,
    sessionTimeoutMs: 30_000,
    rebalanceTimeoutMs: 60_000,
    heartbeatIntervalMs: 3_000,
    fetchMaxWaitMs: mix.fetchMaxWaitMs,
    fetchMaxBytes: 1 << 20,
    clock: time,
  });
  const { deps, connect, close } = shardDeps(options, kafka, consumer, reader);
  const shards = new ShardSet(deps);
  let ends: ReturnType<typeof watchEnds> | null = null;
  let hasJoined = false;
  let isStopping = false;

  const start = async (): Promise<void> => {
    await untilDone(time, connect);
    await untilDone(time, () => deps.store.checkPartitionCount(mix.partitions));
    ends = watchEnds({
      reader,
      topics: INPUT_TOPICS,
      shards,
      store: deps.store,
      progress: new Progress(time, 60_000),
      waits: new Waits(time, 60_000),
      metrics,
      logger,
      intervalMs: mix.dueCheckMs,
      onFatal,
    });
    await untilDone(time, () =>
      consumer.start({
        assigned: (ids) => {
          hasJoined = true;
          shards.assign(ids);
        },
        heartbeat: () => shards.heartbeat(),
        deliver: (batch) => shards.deliver(batch),
        skipped: (shard, topic, from, next) => shards.skipped(shard, topic, from, next),
        crashed: onFatal,
      }),
    );
  };
  const started = start().catch(onFatal);

  return {
    process,
    facts: () => (isStopping ? [] : shards.facts()),
    isBusy: () =>
      isStopping ||
      !hasJoined ||
      // A shard that stays fenced too: who is in the group takes it again, and who is not should be.
      shards.facts().some(({ state, isReplaying }) => state !== 'running' || isReplaying),
    stop: async () => {
      isStopping = true;
      await started;
      await ends?.stop();
      await consumer.stop();
      await shards.releaseAll();
      await close();
    },
  };
};
