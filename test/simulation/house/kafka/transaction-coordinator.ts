import type { Appointment, Scheduler } from '../scheduler.ts';
import type { PartitionLog } from './partition-log.ts';
import { protocolError } from './protocol-error.ts';

export interface CommittedOffset {
  readonly offset: string;
  readonly metadata: string | null;
}

/** group → `topic/partition` → offset */
export type GroupOffsets = Map<string, Map<string, CommittedOffset>>;

interface TransactionalId {
  readonly producerId: number;
  epoch: number;
  state: 'empty' | 'ongoing' | 'ending';
  lastEnd: 'commit' | 'abort' | null;
  readonly logs: Set<PartitionLog>;
  readonly groups: Set<string>;
  staged: { readonly group: string; readonly name: string; readonly offset: CommittedOffset }[];
  timeout: Appointment | null;
}

export interface Identity {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
}

/**
 * The broker's side of transactions: one producer id for each transactional id, an epoch that fences whoever had it before,
 * and markers that are written a little later than the end is decided. Until they are, the next transaction waits
 * (CONCURRENT_TRANSACTIONS).
 */
export class TransactionCoordinator {
  readonly #scheduler: Scheduler;
  readonly #offsets: GroupOffsets;
  readonly #markersMs: () => number;
  readonly #changed: () => void;
  readonly #ids = new Map<string, TransactionalId>();
  #producers = 0;

  constructor(options: {
    readonly scheduler: Scheduler;
    readonly offsets: GroupOffsets;
    /** how long the markers of a transaction take, drawn anew for each */
    readonly markersMs: () => number;
    /** what is stable has changed */
    readonly changed: () => void;
  }) {
    this.#scheduler = options.scheduler;
    this.#offsets = options.offsets;
    this.#markersMs = options.markersMs;
    this.#changed = options.changed;
  }

  /** whether any transaction is open or being ended */
  get isBusy(): boolean {
    return [...this.#ids.values()].some(({ state }) => state !== 'empty');
  }

  initProducerId(transactionalId: string | undefined): { readonly producerId: number; readonly producerEpoch: number } {
    if (transactionalId === undefined) {
      this.#producers += 1;
      return { producerId: this.#producers, producerEpoch: 0 };
    }
    let held = this.#ids.get(transactionalId);
    if (held === undefined) {
      this.#producers += 1;
      held = {
        producerId: this.#producers,
        epoch: -1,
        state: 'empty',
        lastEnd: null,
        logs: new Set(),
        groups: new Set(),
        staged: [],
        timeout: null,
      };
      this.#ids.set(transactionalId, held);
    }
    if (held.state === 'ongoing') {
      // What a former owner left open ends here, under an epoch that it does not have.
      held.epoch += 1;
      this.#end(held, 'abort');
    }
    if (held.state === 'ending') throw protocolError('CONCURRENT_TRANSACTIONS');
    held.epoch += 1;
    held.lastEnd = null;
    return { producerId: held.producerId, producerEpoch: held.epoch };
  }

  addPartitions(identity: Identity, logs: readonly PartitionLog[], timeoutMs: number): void {
    const held = this.#ongoing(identity, timeoutMs);
    for (const log of logs) held.logs.add(log);
  }

  addGroup(identity: Identity, group: string, timeoutMs: number): void {
    this.#ongoing(identity, timeoutMs).groups.add(group);
  }

  stageOffset(identity: Identity, group: string, name: string, offset: CommittedOffset): void {
    const held = this.#checked(identity);
    if (held.state !== 'ongoing' || !held.groups.has(group)) throw protocolError('INVALID_TXN_STATE');
    held.staged.push({ group, name, offset });
  }

  /** Whether a batch of this producer may be written: its transaction is open and covers the partition. */
  mayWrite(identity: Identity, log: PartitionLog): boolean {
    const held = this.#checked(identity);
    return held.state === 'ongoing' && held.logs.has(log);
  }

  endTransaction(identity: Identity, result: 'commit' | 'abort'): void {
    const held = this.#checked(identity);
    if (held.state === 'ongoing') this.#end(held, result);
    else if (held.lastEnd !== result) throw protocolError('INVALID_TXN_STATE');
    else if (held.state === 'ending') throw protocolError('CONCURRENT_TRANSACTIONS');
  }

  #checked({ transactionalId, producerId, producerEpoch }: Identity): TransactionalId {
    const held = this.#ids.get(transactionalId);
    if (held === undefined || held.producerId !== producerId) throw protocolError('INVALID_PRODUCER_ID_MAPPING');
    if (held.epoch !== producerEpoch) throw protocolError('INVALID_PRODUCER_EPOCH');
    return held;
  }

  #ongoing(identity: Identity, timeoutMs: number): TransactionalId {
    const held = this.#checked(identity);
    if (held.state === 'ending') throw protocolError('CONCURRENT_TRANSACTIONS');
    if (held.state === 'empty') {
      held.state = 'ongoing';
      held.timeout = this.#scheduler.after(timeoutMs, () => {
        if (held.state !== 'ongoing') return;
        held.epoch += 1;
        this.#end(held, 'abort');
      });
    }
    return held;
  }

  #end(held: TransactionalId, result: 'commit' | 'abort'): void {
    held.state = 'ending';
    held.lastEnd = result;
    held.timeout?.cancel();
    const epoch = held.epoch;
    this.#scheduler.after(this.#markersMs(), () => {
      for (const log of held.logs) log.mark(held.producerId, epoch, result, this.#scheduler.now);
      if (result === 'commit') for (const staged of held.staged) this.#commitOffset(staged);
      held.logs.clear();
      held.groups.clear();
      held.staged = [];
      held.state = 'empty';
      this.#changed();
    });
  }

  #commitOffset({ group, name, offset }: TransactionalId['staged'][number]): void {
    const offsets = this.#offsets.get(group) ?? new Map<string, CommittedOffset>();
    offsets.set(name, offset);
    this.#offsets.set(group, offsets);
  }
}
