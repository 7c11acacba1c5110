import pino from 'pino';
import { MemoryProviderReader } from '../../src/drivers/memory/provider-reader.ts';
import { MemoryRateLimiter } from '../../src/drivers/memory/rate-limiter.ts';
import { MemoryShardStore } from '../../src/drivers/memory/shard-store.ts';
import { emptyPayment, NO_OPERATION } from '../../src/evaluator/apply.ts';
import type { DueRead, PaymentState, ProviderName } from '../../src/evaluator/index.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import type { ReadContext, ReadOutcome, ReadRequest } from '../../src/ports/provider-reader.ts';
import type { RateLimiter } from '../../src/ports/rate-limiter.ts';
import type { StateWrite } from '../../src/ports/shard-store.ts';
import { Lane } from '../../src/producers/readback/lane.ts';
import { ReadbackWorker, type ReadbackWorkerOptions } from '../../src/producers/readback/worker.ts';
import type { ReadbackFields } from '../../src/producers/readback-producer.ts';
import { encodeState } from '../../src/records/state-codec.ts';
import { shipped } from './contracts.ts';
import { TestTime } from './test-time.ts';

export const LEASE_MS = 60_000;
export const READ_TIMEOUT_MS = 10_000;

export type Play = (request: ReadRequest, context: ReadContext) => ReadOutcome | Promise<ReadOutcome>;

export const completed = (request: ReadRequest): ReadOutcome => ({
  outcome: 'ok',
  httpStatus: 200,
  body: JSON.stringify({ id: request.resourceId, status: 'COMPLETED' }),
});

export const failing = (
  kind: 'server' | 'rate_limited' | 'timeout',
  retryAfterMs: number | null = null,
): ReadOutcome => ({
  outcome: 'error',
  kind,
  message: 'HTTP 500',
  httpStatus: 500,
  retryAfterMs,
});

const stateOf = (account: string, paymentId: string, operationId: string, at: number): PaymentState => ({
  ...emptyPayment({ provider: 'paypal', account, paymentId }),
  operations: {
    [operationId]: {
      ...NO_OPERATION,
      start: {
        contract: { id: 'paypal.refund.completed', version: '1.1.0' },
        createdAt: new Date(at).toISOString(),
        at,
        idempotencyKey: operationId,
        input: { capture_id: paymentId, amount: '10.00', currency_code: 'USD' },
        handoff: null,
        observeFrom: null,
        refused: null,
        identity: 'x',
        source: { topic: 'operation-started', partition: 0, offset: '0' },
      },
    },
  },
});

/** An operation whose bound refund is to be read, alone on its payment. */
export const dueRead = (name: string, dueAt: number, account = 'm', more: Partial<DueRead> = {}): StateWrite => ({
  paymentKey: `paypal:${account}:cap-${name}`,
  value: encodeState(stateOf(account, `cap-${name}`, `op-${name}`, dueAt)),
  expiresAt: dueAt + 1e10,
  evaluateAt: null,
  reads: [
    {
      operationId: `op-${name}`,
      channel: 'refund_readback',
      resourceId: `re-${name}`,
      purpose: 'poll',
      attempt: 1,
      dueAt,
      ...more,
    },
  ],
});

export interface LaneGiven {
  readonly perSecond?: number;
  readonly burst?: number;
  readonly concurrency?: number;
  readonly provider?: ProviderName;
}

/** Workers over one queue in memory, on a clock that a test moves. */
export class ReadbackFixture {
  readonly time = new TestTime();
  readonly store = new MemoryShardStore();
  readonly limiter: RateLimiter = new MemoryRateLimiter(this.time);
  readonly published: ReadbackFields[] = [];
  readonly fatal: unknown[] = [];
  readonly metrics = createMetrics();
  /** thrown by the next publications */
  faults: Error[] = [];

  async due(...writes: readonly StateWrite[]): Promise<void> {
    const { streamTime, ...claim } = await this.store.claim(0, `owner-${Math.random()}`);
    const applied = claim.applied;
    const commit = { claim, writes, applied, verdicts: [], streamTime: Math.max(streamTime, this.time.now()) };
    if ((await this.store.commit(commit)).outcome !== 'committed') throw new Error('not committed');
  }

  lane(
    play: Play,
    account = 'm',
    { perSecond = 1_000, burst = 1_000, concurrency = 8, provider = 'paypal' }: LaneGiven = {},
  ): [string, Lane] {
    const key = `${provider}:${account}`;
    const lane = new Lane({
      key,
      reader: new MemoryProviderReader(play),
      rate: { perSecond, burst },
      concurrency,
      limiter: this.limiter,
      breaker: { failures: 3, pauseMs: 5_000, pauseMaxMs: 60_000 },
      readTimeoutMs: READ_TIMEOUT_MS,
      clock: this.time,
      timers: this.time,
    });
    return [key, lane];
  }

  worker(lanes: readonly (readonly [string, Lane])[], changes: Partial<ReadbackWorkerOptions> = {}): ReadbackWorker {
    return new ReadbackWorker({
      store: this.store,
      shards: [0],
      contracts: shipped,
      lanes: new Map(lanes),
      producer: {
        answered: async (fields) => {
          const fault = this.faults.shift();
          if (fault !== undefined) throw fault;
          this.published.push(fields);
          return { key: null, id: '' };
        },
      },
      leaseMs: LEASE_MS,
      publishMs: 10_000,
      readTimeoutMs: READ_TIMEOUT_MS,
      pollMs: 500,
      jitterMs: 0,
      backoff: { minMs: 100, maxMs: 1_000 },
      clock: this.time,
      timers: this.time,
      logger: pino({ level: 'silent' }),
      metrics: this.metrics,
      onFatal: (error) => void this.fatal.push(error),
      ...changes,
    });
  }

  get readOperations(): string[] {
    return this.published.map(({ operation_id: operation }) => operation);
  }
}
