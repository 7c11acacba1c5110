import { pino } from 'pino';
import { createKafkaRecordSink } from '../../../src/drivers/kafka/record-sink.ts';
import type { ContractSet } from '../../../src/evaluator/index.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import type { RateLimiter } from '../../../src/ports/rate-limiter.ts';
import type { RecordEncoder } from '../../../src/ports/record-encoder.ts';
import { Lane } from '../../../src/producers/readback/lane.ts';
import { ReadbackWorker } from '../../../src/producers/readback/worker.ts';
import { createReadbackProducer } from '../../../src/producers/readback-producer.ts';
import type { Random } from '../random.ts';
import type { Instance } from './instance.ts';
import { simulatedKafka } from './kafka/client.ts';
import type { SimCluster } from './kafka/sim-cluster.ts';
import type { HouseMix } from './mix.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';
import type { SimProviders } from './sim-provider.ts';
import { limiterOf, SimShardStore, type StateServer } from './sim-shard-store.ts';
import { timeOf } from './sim-time.ts';

export interface ReadbackInstanceOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly cluster: SimCluster;
  readonly state: StateServer;
  readonly limiter: RateLimiter;
  readonly providers: SimProviders;
  readonly accounts: readonly string[];
  readonly mix: HouseMix;
  readonly process: SimProcess;
  readonly contracts: ContractSet;
  readonly encoder: RecordEncoder;
  readonly onFatal: (error: unknown) => void;
}

/** Calls under way at once, of one account in one worker. */
export const CONCURRENCY = 2;
export const BURST = 2;

const metrics = createMetrics();
const logger = pino({ level: 'silent' });

/** The readback worker as `countersign readback` puts it together. */
export const startReadback = (options: ReadbackInstanceOptions): Instance => {
  const { scheduler, random, cluster, state, mix, process, contracts, providers, onFatal } = options;
  const time = timeOf(scheduler, process);
  const sink = createKafkaRecordSink(simulatedKafka(cluster, process), '');
  const limiter = limiterOf(state, process, options.limiter);
  const reader = providers.readerFor(process);
  const lanes = new Map(
    options.accounts.map((key) => [
      key,
      new Lane({
        key,
        reader,
        rate: { perSecond: mix.ratePerSecond, burst: BURST },
        concurrency: CONCURRENCY,
        limiter,
        breaker: { failures: 5, pauseMs: 5_000, pauseMaxMs: 300_000 },
        readTimeoutMs: 20_000,
        clock: time,
        timers: time,
      }),
    ]),
  );
  const worker = new ReadbackWorker({
    store: new SimShardStore(state, process, random),
    shards: Array.from({ length: mix.partitions }, (_, shard) => shard),
    contracts,
    lanes,
    producer: createReadbackProducer({ sink, source: '/countersign/readback', encoder: options.encoder }),
    leaseMs: mix.leaseMs,
    publishMs: 10_000,
    readTimeoutMs: 20_000,
    pollMs: mix.readPollMs,
    jitterMs: 2_000,
    backoff: { minMs: 200, maxMs: 30_000 },
    clock: time,
    timers: time,
    logger,
    metrics,
    onFatal,
  });
  worker.start();
  let isStopping = false;
  return {
    process,
    isBusy: () => isStopping || worker.running > 0 || worker.trouble !== null,
    stop: async () => {
      isStopping = true;
      await worker.stop(20_000);
      await sink.close();
    },
  };
};
