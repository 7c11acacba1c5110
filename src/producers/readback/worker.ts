import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { OperatingError } from '../../errors.ts';
import type { ContractSet } from '../../evaluator/index.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Clock } from '../../ports/clock.ts';
import { type FaultPoints, noFaults } from '../../ports/fault-points.ts';
import type { ReadRequest } from '../../ports/provider-reader.ts';
import type { ClaimedRead, ShardId, ShardStore } from '../../ports/shard-store.ts';
import type { Timers } from '../../ports/timers.ts';
import type { ReadbackProducer } from '../readback-producer.ts';
import type { Lane, Turn } from './lane.ts';
import { publishAnswer } from './publish-answer.ts';
import { type ResolvedRead, resolveReads } from './resolve-reads.ts';
import { spreadMs } from './spread.ts';

/** Reads claimed of one shard at a time. */
const CLAIMED_AT_ONCE = 500;
/** Claims of one shard in one pass: what is put off makes room for what lies behind it. */
const CLAIMS_MAX = 20;
/** When a read of what is being read already is looked at again: the answer under way may leave nothing to ask. */
const UNDER_WAY_MS = 1_000;
/** When a read that this process cannot perform is looked at again, here or by another. */
const UNSERVED_MS = 60_000;

export interface ReadbackWorkerOptions {
  readonly store: Pick<ShardStore, 'claimReads' | 'releaseRead' | 'load'>;
  /** every shard: workers share them by leases */
  readonly shards: readonly ShardId[];
  readonly contracts: ContractSet;
  /** `<provider>:<account>` → its way to the provider */
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly producer: ReadbackProducer;
  readonly leaseMs: number;
  /** of the lease, what is kept for publishing after the longest read */
  readonly publishMs: number;
  readonly readTimeoutMs: number;
  /** how often the queue is looked at */
  readonly pollMs: number;
  /** reads that fall due together are spread over this */
  readonly jitterMs: number;
  readonly backoff: { readonly minMs: number; readonly maxMs: number };
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onFatal: (error: unknown) => void;
  /** where crash tests end the process; nowhere unless given */
  readonly faults?: FaultPoints | undefined;
}

/**
 * Performs the reads that the contracts' clocks ask for. A read is leased before its call and done only when its answer is
 * kept by the log: after a crash in between the lease ends, and it is read again. When a read is due is the reducer's to say;
 * the worker only puts off what it cannot do now.
 */
export class ReadbackWorker {
  readonly #options: ReadbackWorkerOptions;
  readonly #halt = new AbortController();
  readonly #abandon = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** what is being read: an event may ask for a read of its own while a poll of the same refund is under way */
  readonly #asking = new Set<string>();
  readonly #unserved = new Set<string>();
  #loop: Promise<void> | null = null;
  #lastPassAt: number;
  #trouble: string | null = null;

  constructor(options: ReadbackWorkerOptions) {
    this.#options = options;
    this.#lastPassAt = options.clock.now();
    // Every read that waits listens.
    setMaxListeners(0, this.#halt.signal, this.#abandon.signal);
  }

  /** reads that are leased by this worker now */
  get running(): number {
    return this.#running.size;
  }

  /** why nothing moves; null where it does */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** the last instant at which the whole queue was looked at */
  get lastPassAt(): number {
    return this.#lastPassAt;
  }

  /** accounts whose reads came up and that this process has no credentials for */
  get unserved(): readonly string[] {
    return [...this.#unserved];
  }

  start(): void {
    this.#loop ??= this.#work().catch(this.#options.onFatal);
  }

  /** Claims no more, finishes the calls under way for at most `graceMs`, and gives back the leases of all others. */
  async stop(graceMs: number): Promise<void> {
    this.#halt.abort();
    await this.#loop;
    const finished = new AbortController();
    const late = this.#options.timers.wait(graceMs, finished.signal).then(() => this.#abandon.abort());
    await Promise.all(this.#running);
    finished.abort();
    await late;
  }

  async #work(): Promise<void> {
    const { timers, pollMs, backoff, clock, logger } = this.#options;
    let waitMs = backoff.minMs;
    while (!this.#halt.signal.aborted) {
      try {
        await this.#pass();
        this.#lastPassAt = clock.now();
        waitMs = backoff.minMs;
        await timers.wait(pollMs, this.#halt.signal);
      } catch (error) {
        if (!(error instanceof OperatingError) || !error.retryable) throw error;
        this.#trouble = error.message;
        logger.warn({ code: error.code, retryInMs: waitMs }, `no reads are claimed: ${error.message}`);
        await timers.wait(waitMs, this.#halt.signal);
        waitMs = Math.min(waitMs * 2, backoff.maxMs);
      }
    }
  }

  /** One look at every shard's queue. Resolves when what is due has been taken in or put off. */
  async #pass(): Promise<void> {
    const { shards } = this.#options;
    // Not always the same first: several workers would claim from one and leave the others waiting.
    const first = shards.length === 0 ? 0 : Math.floor(this.#options.clock.now() / 1000) % shards.length;
    for (let index = 0; index < shards.length; index += 1) {
      const shard = shards[(first + index) % shards.length];
      if (shard !== undefined) await this.#drain(shard);
    }
    this.#trouble = null;
  }

  async #drain(shard: ShardId): Promise<void> {
    const { store, contracts, clock, leaseMs } = this.#options;
    for (let claims = 0; claims < CLAIMS_MAX && !this.#halt.signal.aborted; claims += 1) {
      const now = clock.now();
      const reads = await store.claimReads(shard, now, now + leaseMs, CLAIMED_AT_ONCE);
      if (reads.length === 0) return;
      const resolved = await resolveReads(store, contracts, shard, reads);
      await Promise.all(
        reads.map((read, index) => this.#take(read, resolved[index] ?? { kind: 'gone' }, now + leaseMs)),
      );
      if (reads.length < CLAIMED_AT_ONCE) return;
    }
  }

  async #take(read: ClaimedRead, resolved: ResolvedRead, leaseUntil: number): Promise<void> {
    const { store, lanes, clock, logger, metrics } = this.#options;
    if (resolved.kind === 'gone') return store.releaseRead(read, null);
    if (resolved.kind === 'unknown') {
      metrics.readsDeferred.inc({ reason: 'contract' });
      return store.releaseRead(read, clock.now() + UNSERVED_MS);
    }
    const { request } = resolved;
    const key = `${request.provider}:${request.account}`;
    const lane = lanes.get(key);
    if (lane === undefined) {
      if (!this.#unserved.has(key)) {
        logger.warn({ account: key }, 'reads are due for an account that has no credentials here (accounts)');
      }
      this.#unserved.add(key);
      metrics.readsDeferred.inc({ reason: 'account' });
      return store.releaseRead(read, clock.now() + UNSERVED_MS);
    }
    const resource = JSON.stringify([read.paymentKey, read.operationId, read.channel, read.resourceId]);
    const refusal = this.#asking.has(resource) ? { reason: 'under_way', waitMs: UNDER_WAY_MS } : lane.admit();
    if (refusal !== null) {
      metrics.readsDeferred.inc({ reason: refusal.reason });
      return store.releaseRead(read, clock.now() + refusal.waitMs);
    }
    this.#asking.add(resource);
    const task = this.#perform(lane, read, request, leaseUntil)
      .catch((error: unknown) => this.#failed(read, error))
      .finally(() => {
        this.#asking.delete(resource);
        this.#running.delete(task);
      });
    this.#running.add(task);
  }

  async #perform(lane: Lane, read: ClaimedRead, request: ReadRequest, leaseUntil: number): Promise<void> {
    const { store, clock, metrics, jitterMs, leaseMs, readTimeoutMs, publishMs, faults = noFaults } = this.#options;
    const notBefore = read.dueAt + spreadMs(read, Math.min(jitterMs, leaseMs / 4));
    const turn = await lane.turn(request, notBefore, leaseUntil - readTimeoutMs - publishMs, {
      waiting: this.#halt.signal,
      asking: this.#abandon.signal,
    });
    if (turn.outcome === 'deferred') {
      metrics.readsDeferred.inc({ reason: turn.reason });
      return store.releaseRead(read, clock.now() + turn.waitMs);
    }
    this.#count(request, turn);
    await faults.hit('read-answered');
    await publishAnswer(this.#options, read, request, turn, leaseUntil, this.#abandon.signal);
    await faults.hit('read-published');
    await store.releaseRead(read, null);
  }

  #count({ provider }: ReadRequest, { answer, requestedAt, observedAt }: Extract<Turn, { outcome: 'answered' }>): void {
    const { metrics } = this.#options;
    const outcome = answer.outcome === 'error' ? answer.kind : answer.outcome;
    metrics.reads.inc({ provider, outcome });
    metrics.readSeconds.observe({ provider }, (observedAt - requestedAt) / 1000);
  }

  /** The lease comes back by itself; nothing else is to be done for this read. */
  #failed(read: ClaimedRead, error: unknown): void {
    const { logger, onFatal } = this.#options;
    if (!(error instanceof OperatingError)) {
      onFatal(error);
      return;
    }
    this.#trouble = error.message;
    logger.warn(
      { code: error.code, paymentKey: read.paymentKey, operation: read.operationId, channel: read.channel },
      `a read is left to its lease: ${error.message}`,
    );
  }
}
