import pino from 'pino';
import { createAdmission } from '../../src/consumers/admit.ts';
import type { ShardDeps } from '../../src/consumers/shard-deps.ts';
import { StateCache } from '../../src/consumers/state-cache.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import { MemoryShardStore } from '../../src/drivers/memory/shard-store.ts';
import { reducePayment } from '../../src/evaluator/index.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import type { ConsumedRecord } from '../../src/ports/consumed-record.ts';
import type { DeadLetterEntry, RekeyedRecord } from '../../src/ports/dead-letters.ts';
import { noFaults } from '../../src/ports/fault-points.ts';
import type { FetchedBatch, InputLog, LogBounds, ShardOffsets } from '../../src/ports/input-log.ts';
import type { PendingVerdict, ShardClaim } from '../../src/ports/shard-store.ts';
import type { TakeOver, VerdictPublisher } from '../../src/ports/verdict-publisher.ts';
import { createSealCheck } from '../../src/records/seal.ts';

export const TOPICS = ['operation-started', 'webhook-received', 'readback-result', 'review-decided'] as const;

/** A log that notes what it is told, and lets a test wait for it. */
export class TestLog implements InputLog {
  readonly topics = TOPICS;
  readonly told: string[] = [];
  readonly lows = new Map<string, bigint>();
  high = 1_000n;
  #waiting: { readonly text: string; readonly resolve: () => void }[] = [];

  #tell(text: string): void {
    this.told.push(text);
    for (const waiting of this.#waiting.filter((each) => text.startsWith(each.text))) waiting.resolve();
    this.#waiting = this.#waiting.filter((each) => !text.startsWith(each.text));
  }

  /** The next time that the log is told something that begins with `text`. */
  next(text: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ text, resolve }));
  }

  pause(shard: number): void {
    this.#tell(`pause ${shard}`);
  }

  resume(shard: number, from: ShardOffsets): void {
    this.#tell(`resume ${shard} ${[...from.values()].join(' ')}`);
  }

  seek(shard: number, topic: string, offset: bigint): void {
    this.#tell(`seek ${shard} ${topic} ${offset}`);
  }

  async bounds(): Promise<ReadonlyMap<string, LogBounds>> {
    return new Map(TOPICS.map((topic) => [topic, { low: this.lows.get(topic) ?? 0n, high: this.high }]));
  }
}

/** Publishes into a list, exactly once: what a transaction does, without a broker. */
export class TestPublisher implements VerdictPublisher {
  readonly published: PendingVerdict[] = [];
  readonly #store: MemoryShardStore;
  /** thrown once by the next call */
  fault: Error | null = null;

  constructor(store: MemoryShardStore) {
    this.#store = store;
  }

  #fail(): void {
    const { fault } = this;
    this.fault = null;
    if (fault !== null) throw fault;
  }

  async takeOver(claim: ShardClaim): Promise<TakeOver> {
    this.#fail();
    const next = (this.published.at(-1)?.sequence ?? 0) + 1;
    for (const verdict of await this.#store.pendingVerdicts(claim.shard, 10_000)) {
      if (verdict.sequence >= next) this.published.push(verdict);
    }
    await this.#store.trimVerdicts(claim.shard, claim.token, this.published.at(-1)?.sequence ?? 0);
    return { outcome: 'ready', nextVerdict: Math.max(next, claim.nextVerdict), replay: null };
  }

  async publish(claim: ShardClaim, verdicts: readonly PendingVerdict[]): Promise<'published' | 'fenced'> {
    this.#fail();
    if (!(await this.#store.owns(claim.shard, claim.token))) return 'fenced';
    this.published.push(...verdicts);
    await this.#store.trimVerdicts(claim.shard, claim.token, verdicts.at(-1)?.sequence ?? 0);
    return 'published';
  }

  async close(): Promise<void> {}
}

export interface ShardFixture {
  readonly deps: ShardDeps;
  readonly store: MemoryShardStore;
  readonly log: TestLog;
  readonly publisher: TestPublisher;
  readonly deadLetters: DeadLetterEntry[];
  readonly rekeys: RekeyedRecord[];
  readonly fatal: unknown[];
}

/** Everything a shard works with, in memory, with the shipped contracts, taking the gateway's word. */
export const shardFixture = (changes: Partial<ShardDeps> = {}): ShardFixture => {
  const store = new MemoryShardStore();
  const log = new TestLog();
  const publisher = new TestPublisher(store);
  const deadLetters: DeadLetterEntry[] = [];
  const rekeys: RekeyedRecord[] = [];
  const fatal: unknown[] = [];
  const contracts = loadContracts();
  let owners = 0;
  const deps: ShardDeps = {
    batch: {
      contracts,
      admission: createAdmission({ contracts, endpoints: [], trustGateway: true, testMode: false }),
      reduce: reducePayment,
    },
    decode: { schemas: null, maxBytes: 1 << 20, checkSeal: createSealCheck('off', []) },
    store,
    log,
    deadLetters: { write: async (entries) => void deadLetters.push(...entries) },
    rekeys: { write: async (records) => void rekeys.push(...records) },
    publisherOf: () => publisher,
    cacheOf: () => new StateCache({ entries: 1_000, chars: 10_000_000 }),
    partitions: 1,
    batchRecords: 100,
    backoff: { minMs: 1, maxMs: 1 },
    newOwner: () => {
      owners += 1;
      return `owner-${owners}`;
    },
    faults: noFaults,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    onFatal: (error) => void fatal.push(error),
    ...changes,
  };
  return { deps, store, log, publisher, deadLetters, rekeys, fatal };
};

export const AT = Date.parse('2026-09-01T12:00:00Z');

export const recordAt = (topic: string, offset: number, value: object | string, partition = 0): ConsumedRecord => ({
  topic,
  partition,
  offset: String(offset),
  timestamp: AT + offset,
  key: null,
  value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  headers: {},
});

export const startOf = (id: string, capture = `CAP${id}`): object => ({
  kind: 'operation.started',
  operation_id: id,
  provider: 'paypal',
  account: 'm',
  contract: { id: 'paypal.refund.completed' },
  created_at: '2026-09-01T12:00:00.000Z',
  input: { capture_id: capture, amount: '10.00', currency_code: 'USD' },
});

export const batchOf = (
  topic: string,
  from: number,
  records: readonly ConsumedRecord[],
  end = 1_000,
): FetchedBatch => ({
  shard: 0,
  topic,
  from: BigInt(from),
  records,
  next: BigInt(from + records.length),
  end: BigInt(end),
  fetchedAt: AT + 60_000,
});
