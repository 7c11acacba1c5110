import { randomUUID } from 'node:crypto';
import { OperationsReadModel } from '../../console/operations.ts';
import type { BatchCounts } from '../../consumers/batch-counts.ts';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import type { DecodedRecord, Undecodable } from '../../consumers/decoded-record.ts';
import { InlineBindings } from '../../consumers/inline-bindings.ts';
import { loadStates } from '../../consumers/load.ts';
import { type BatchOwner, evaluateDue, type ProcessedBatch, processBatch } from '../../consumers/process-batch.ts';
import { StateCache } from '../../consumers/state-cache.ts';
import { type ErrorCode, OperatingError } from '../../errors.ts';
import type { EpochMs, HandoffDecided, PaymentState, VerdictRecord } from '../../evaluator/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PendingVerdict, ShardClaim, ShardStore } from '../../ports/shard-store.ts';
import { parseJsonText } from '../../records/json-text.ts';
import { type EmbeddedReceipts, EmbeddedSeals } from './embedded-seals.ts';
import { createMemoryHandoffIndex } from './handoff-index.ts';
import { Journal, type JournalRecovery } from './journal.ts';
import { decodeInput, type EmbeddedInput, type JournalEntry, parseEntry, printEntry } from './journal-entry.ts';
import { MemoryShardStore } from './shard-store.ts';

const SHARD = 0;
const BATCH_RECORDS = 1000;

export interface PublishedVerdict {
  readonly verdict: VerdictRecord;
  readonly traceparent: string | null;
  /** published while the journal was replayed: a subscriber may have seen this verdict id before */
  readonly isRecovered: boolean;
}

export interface EmbeddedDeadLetter {
  readonly input: EmbeddedInput;
  readonly code: ErrorCode;
  readonly reason: string;
  readonly isRecovered: boolean;
}

export interface EmbeddedOptions {
  readonly deps: BatchDeps;
  readonly clock: Clock;
  /** the journal's path; null: nothing outlives the process */
  readonly journal: string | null;
  /** what seals the verdicts; left out: nothing does */
  readonly receipts?: EmbeddedReceipts | null;
  readonly onWarning: (message: string) => void;
  readonly onVerdict?: (published: PublishedVerdict) => void;
  /** hears answers to requests for a plan; one may be told again after the journal was replayed */
  readonly onHandoff?: (decided: HandoffDecided, isRecovered: boolean) => void;
  readonly onDeadLetter?: (deadLetter: EmbeddedDeadLetter) => void;
  /** counts of each batch, for metrics */
  readonly onCounts?: (counts: BatchCounts) => void;
}

interface Waiting {
  readonly entries: readonly JournalEntry[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The whole pipeline in one process: the same stages as on Kafka, over the memory store, with a journal on disk. A record
 * that `append` has acknowledged is on the disk and applied; after a crash the journal is replayed and the state is what it
 * was. Verdicts are delivered at least once, with ids that repeat when they do.
 */
export class EmbeddedPipeline {
  readonly operations = new OperationsReadModel();
  /** finds payments by charge receipt and by handoff */
  readonly handoffs = createMemoryHandoffIndex();
  readonly #bindings = new InlineBindings();
  readonly #options: EmbeddedOptions;
  readonly #deps: BatchDeps;
  readonly #seals: EmbeddedSeals | null;
  readonly #store = new MemoryShardStore();
  readonly #cache = new StateCache({ entries: 10_000, chars: 64 * 1024 * 1024 });
  readonly #offsets = new Map<string, number>();
  #claim: ShardClaim;
  #streamTime: EpochMs = 0;
  #isRecovering = true;
  #journal: Journal | null = null;
  #queue: Waiting[] = [];
  #working: Promise<void> | null = null;
  #failure: unknown = null;

  private constructor(options: EmbeddedOptions, claim: ShardClaim) {
    this.#options = options;
    this.#seals = options.receipts == null ? null : new EmbeddedSeals(options.receipts);
    this.#deps =
      this.#seals === null ? options.deps : { ...options.deps, reduce: this.#seals.link(options.deps.reduce) };
    this.#claim = claim;
  }

  /** Opens the journal and replays it; resolves when the state is what it was. Throws the journal's errors. */
  static async open(options: EmbeddedOptions): Promise<EmbeddedPipeline> {
    const pipeline = new EmbeddedPipeline(options, {
      shard: SHARD,
      token: '',
      sequence: 0,
      applied: {},
      nextVerdict: 1,
    });
    pipeline.#claim = await pipeline.#store.claim(SHARD, randomUUID());
    if (options.journal !== null) await pipeline.#recover(options.journal);
    pipeline.#isRecovering = false;
    pipeline.#seals?.recovered();
    return pipeline;
  }

  /** What opening the journal found; null without one. */
  get recovery(): JournalRecovery | null {
    return this.#journal?.recovery ?? null;
  }

  /** The queue of due reads, for a readback worker in this process. */
  get reads(): Pick<ShardStore, 'claimReads' | 'releaseRead' | 'load'> {
    return this.#store;
  }

  /** stream time, milliseconds since the epoch */
  get now(): EpochMs {
    return this.#streamTime;
  }

  /** Takes records in order; resolves when they are on the disk, applied, and their verdicts delivered. */
  append(inputs: readonly EmbeddedInput[]): Promise<void> {
    const at = this.#options.clock.now();
    return this.#enqueue(inputs.map((input) => ({ form: 'record', at, input })));
  }

  /** Lets time pass up to the clock's now: evaluates what has fallen due. */
  async tick(): Promise<void> {
    const at = this.#options.clock.now();
    const due = await this.nextEvaluation();
    if (due !== null && due <= at) await this.#enqueue([{ form: 'tick', at }]);
  }

  /** When time alone next changes something; null: never. */
  nextEvaluation(): Promise<EpochMs | null> {
    return this.#store.nextEvaluation(SHARD);
  }

  /** When the oldest operation began that is still PENDING; null: none is. */
  oldestUnresolved(): Promise<EpochMs | null> {
    return this.#store.oldestUnresolved(SHARD);
  }

  /** What is held of a payment; null where nothing is. */
  async stateOf(paymentKey: string): Promise<PaymentState | null> {
    const [state = null] = await loadStates(this.#store, SHARD, this.#cache, [paymentKey], this.#streamTime);
    return state;
  }

  /** Resolves when everything appended so far has been applied. */
  async whenCaughtUp(): Promise<void> {
    while (this.#working !== null) await this.#working;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Finishes what was appended and closes the journal. */
  async close(): Promise<void> {
    while (this.#working !== null) await this.#working;
    await this.#journal?.close();
    await this.#store.close();
  }

  #enqueue(entries: readonly JournalEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve();
    // Not left to the work: with nothing to wait for, it would be over before it is noted that it runs.
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const done = new Promise<void>((resolve, reject) => this.#queue.push({ entries, resolve, reject }));
    this.#working ??= this.#work();
    return done;
  }

  /** One batch at a time: what was appended meanwhile goes to the disk together. */
  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const taken = this.#queue;
      this.#queue = [];
      try {
        if (this.#failure !== null) throw this.#failure;
        const entries = taken.flatMap((waiting) => waiting.entries);
        await this.#journal?.append(entries.map(printEntry));
        await this.#apply(entries);
        for (const { resolve } of taken) resolve();
      } catch (error) {
        // What is in memory may be behind the disk now: only a new opening makes them agree.
        this.#failure = error;
        for (const { reject } of taken) reject(error);
      }
    }
    // In the same turn as the last look at the queue: what comes later starts a new run.
    this.#working = null;
  }

  async #recover(path: string): Promise<void> {
    let held: JournalEntry[] = [];
    this.#journal = await Journal.open(path, {
      onWarning: this.#options.onWarning,
      onEntry: async (payload) => {
        const entry = parseEntry(payload);
        if (entry === null)
          throw new OperatingError('JOURNAL_CORRUPT', `the journal ${path} holds an entry of another form`);
        held.push(entry);
        if (held.length < BATCH_RECORDS) return;
        const full = held;
        held = [];
        await this.#apply(full);
      },
    });
    await this.#apply(held);
  }

  /** Runs of records and ticks, in order. */
  async #apply(entries: readonly JournalEntry[]): Promise<void> {
    for (let start = 0; start < entries.length; ) {
      const first = entries[start];
      if (first === undefined) return;
      let end = start + 1;
      if (first.form === 'record') {
        while (end < entries.length && end - start < BATCH_RECORDS && entries[end]?.form === 'record') end += 1;
        await this.#applyRecords(entries.slice(start, end));
      } else await this.#applyTick(first.at);
      start = end;
    }
  }

  async #applyRecords(entries: readonly JournalEntry[]): Promise<void> {
    const inputs: EmbeddedInput[] = [];
    const decoded: (DecodedRecord | Undecodable)[] = [];
    for (const entry of entries) {
      if (entry.form !== 'record') continue;
      const offset = this.#offsets.get(entry.input.topic) ?? 0;
      this.#offsets.set(entry.input.topic, offset + 1);
      inputs.push(entry.input);
      decoded.push(decodeInput(entry.input, entry.at, offset));
    }
    let reached = this.#streamTime;
    const batch = await processBatch(
      this.#deps,
      this.#owner(),
      decoded,
      (record) => {
        reached = Math.max(reached, record.timestamp ?? reached);
        return reached;
      },
      () => reached,
    );
    for (const { index, code, reason } of batch.deadLetters) {
      const input = inputs[index];
      if (input !== undefined) this.#options.onDeadLetter?.({ input, code, reason, isRecovered: this.#isRecovering });
    }
    this.#options.onCounts?.(batch.counts);
    for (const { receiptRef, paymentKey } of batch.charges) await this.handoffs.charges.add(receiptRef, paymentKey);
    await this.#commit(batch);
    await this.#applyTick(reached);
  }

  async #applyTick(at: EpochMs): Promise<void> {
    for (;;) {
      const due = await evaluateDue(this.#deps, this.#owner(), at);
      if (due === null) break;
      await this.#commit(due);
    }
    this.#streamTime = Math.max(this.#streamTime, at);
  }

  #owner(): BatchOwner {
    return {
      shard: SHARD,
      store: this.#store,
      cache: this.#cache,
      claim: this.#claim,
      partitionOf: null,
      bindings: this.#bindings,
    };
  }

  async #commit({ commit, written }: Pick<ProcessedBatch, 'commit' | 'written'>): Promise<void> {
    const result = await this.#store.commit(commit);
    if (result.outcome !== 'committed') throw new TypeError(`a sole owner's commit was answered ${result.outcome}`);
    this.#claim = result.claim;
    this.#streamTime = Math.max(this.#streamTime, commit.streamTime);
    for (const { paymentKey, state, expiresAt, chars } of written) this.#cache.set(paymentKey, state, expiresAt, chars);
    const held = await this.#store.pendingVerdicts(SHARD, Number.MAX_SAFE_INTEGER);
    for (const one of held) if (one.topic !== undefined) await this.#tellHandoff(one);
    const pending = held.filter(({ topic }) => topic === undefined);
    for (const { value, traceparent } of (await this.#seals?.seal(pending)) ?? pending) {
      const verdict = parseJsonText(value) as unknown as VerdictRecord;
      this.operations.apply(verdict);
      this.#options.onVerdict?.({ verdict, traceparent, isRecovered: this.#isRecovering });
    }
    const last = held.at(-1);
    if (last !== undefined) await this.#store.trimVerdicts(SHARD, this.#claim.token, last.sequence);
  }

  async #tellHandoff({ value }: PendingVerdict): Promise<void> {
    const decided = parseJsonText(value) as unknown as HandoffDecided;
    await this.handoffs.handoffs.add(decided.handoff_id, decided.payment_key);
    this.#options.onHandoff?.(decided, this.#isRecovering);
  }
}
