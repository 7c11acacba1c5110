import type { Logger } from 'pino';
import { PUBLISH_MS } from '../../config/readback.ts';
import type { Config } from '../../config/schema.ts';
import type { ContractSet } from '../../evaluator/index.ts';
import type { Readiness } from '../../observability/health-server.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { ShardId } from '../../ports/shard-store.ts';
import { systemTime, type Time } from '../../ports/time.ts';
import { ReadbackWorker, type ReadbackWorkerOptions } from '../../producers/readback/worker.ts';
import type { ReadbackProducer } from '../../producers/readback-producer.ts';
import { createLanes } from './readback-lanes.ts';

export interface ReadbackParts {
  readonly config: Config;
  readonly contracts: ContractSet;
  readonly store: ReadbackWorkerOptions['store'];
  readonly shards: readonly ShardId[];
  readonly limiter: RateLimiter;
  readonly producer: ReadbackProducer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onFatal: (error: unknown) => void;
  /** the system's unless given */
  readonly time?: Time | undefined;
  /** where crash tests end the process; nowhere unless given */
  readonly faults?: FaultPoints | undefined;
}

export interface RunningReadback {
  readiness(): Readiness;
  /** Finishes the calls under way within `graceMs`, and gives the other leases back. */
  stop(graceMs: number): Promise<void>;
}

/** Starts a worker with the configured accounts, over whatever keeps its queue and takes its answers. */
export const startReadbackWorker = (parts: ReadbackParts): RunningReadback => {
  const { config, limiter } = parts;
  const { clock, timers } = parts.time ?? systemTime;
  const { readback, processing } = config;
  const { lanes, close } = createLanes(config, limiter, clock, timers);
  const worker = new ReadbackWorker({
    ...parts,
    lanes,
    leaseMs: readback.lease_ms,
    publishMs: PUBLISH_MS,
    readTimeoutMs: readback.read_timeout_ms,
    pollMs: readback.poll_ms,
    jitterMs: readback.jitter_ms,
    backoff: { minMs: processing.backoff_min_ms, maxMs: processing.backoff_max_ms },
    clock,
    timers,
  });
  worker.start();
  return {
    readiness: () => {
      const silentMs = clock.now() - worker.lastPassAt;
      const reasons = [
        ...(worker.trouble === null ? [] : [worker.trouble]),
        ...(silentMs < processing.stall_after_ms ? [] : [`the queue has not been looked at for ${silentMs} ms`]),
      ];
      const facts = {
        reads_under_way: worker.running,
        accounts: Object.fromEntries(
          [...lanes].map(([key, lane]) => [key, { held: lane.held, left_alone: lane.isBroken }]),
        ),
        accounts_without_credentials: worker.unserved,
      };
      return { ready: reasons.length === 0, reasons, facts };
    },
    stop: async (graceMs) => {
      await worker.stop(graceMs);
      await close();
    },
  };
};
