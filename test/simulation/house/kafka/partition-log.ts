/** A record as the log keeps it, or the marker that ends a transaction. */
export interface LogEntry {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer>>;
  readonly producerId: number;
  readonly isTransactional: boolean;
  readonly control: 'commit' | 'abort' | null;
  /** wall time; no part of what a reader gets */
  readonly appendedAt: number;
}

export type NewRecord = Pick<LogEntry, 'timestamp' | 'key' | 'value' | 'headers'>;

export interface RecordBatch {
  /** -1: not idempotent */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly isTransactional: boolean;
  readonly appendedAt: number;
  readonly records: readonly NewRecord[];
}

/** What became of a batch; the words are the broker's own. */
export type Appended = 'appended' | 'duplicate' | 'OUT_OF_ORDER_SEQUENCE_NUMBER' | 'INVALID_PRODUCER_EPOCH';

interface ProducerEntry {
  epoch: number;
  /** the sequence number that must come next; null: any, the producer is new here */
  next: number | null;
  /** the last five batches, as the broker remembers them */
  recent: { readonly first: number; readonly count: number }[];
}

const CONTROL_KEYS = { abort: Buffer.from([0, 0, 0, 0]), commit: Buffer.from([0, 0, 0, 1]) };
const REMEMBERED = 5;

/** One partition: what is in it, what of it is stable, and what each idempotent producer wrote last. */
export class PartitionLog {
  readonly topic: string;
  readonly partition: number;
  readonly entries: LogEntry[] = [];
  readonly #producers = new Map<number, ProducerEntry>();
  /** producer id → the offset at which its open transaction begins here */
  readonly #open = new Map<number, number>();
  readonly #aborted: { readonly producerId: number; readonly first: number; readonly last: number }[] = [];

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  /** the offset after the last entry */
  get end(): number {
    return this.entries.length;
  }

  /** the first offset that a reader at read_committed must wait for */
  get stable(): number {
    let least = this.end;
    for (const first of this.#open.values()) if (first < least) least = first;
    return least;
  }

  append(batch: RecordBatch): Appended {
    if (batch.producerId >= 0) {
      const refusal = this.#sequence(batch);
      if (refusal !== 'appended') return refusal;
    }
    const { producerId, isTransactional, appendedAt } = batch;
    if (isTransactional && !this.#open.has(producerId)) this.#open.set(producerId, this.end);
    for (const record of batch.records)
      this.entries.push({ ...record, offset: this.end, producerId, isTransactional, control: null, appendedAt });
    return 'appended';
  }

  /** Ends a producer's transaction here; the marker carries the epoch, and what comes with an older one is refused. */
  mark(producerId: number, epoch: number, control: 'commit' | 'abort', timestamp: number): void {
    const first = this.#open.get(producerId);
    this.#open.delete(producerId);
    if (first !== undefined && control === 'abort') this.#aborted.push({ producerId, first, last: this.end });
    const known = this.#producers.get(producerId);
    if (known === undefined || epoch > known.epoch) this.#producers.set(producerId, { epoch, next: null, recent: [] });
    this.entries.push({
      offset: this.end,
      timestamp,
      key: CONTROL_KEYS[control],
      value: Buffer.alloc(0),
      headers: {},
      producerId,
      isTransactional: true,
      control,
      appendedAt: timestamp,
    });
  }

  /** Transactions that were aborted and reach into what stands from `from` on, as a fetch names them. */
  abortedFrom(from: number): { readonly producerId: string; readonly firstOffset: string }[] {
    return this.#aborted
      .filter(({ last }) => last >= from)
      .sort((a, b) => a.first - b.first)
      .map(({ producerId, first }) => ({ producerId: String(producerId), firstOffset: String(first) }));
  }

  /** The records that a reader at read_committed sees, from an offset on. */
  committed(from = 0): LogEntry[] {
    return this.entries
      .slice(from, this.stable)
      .filter(
        ({ offset, control, producerId, isTransactional }) =>
          control === null &&
          !(
            isTransactional &&
            this.#aborted.some((one) => one.producerId === producerId && one.first <= offset && offset <= one.last)
          ),
      );
  }

  #sequence({ producerId, producerEpoch, firstSequence, records }: RecordBatch): Appended {
    let producer = this.#producers.get(producerId);
    if (producer !== undefined && producerEpoch < producer.epoch) return 'INVALID_PRODUCER_EPOCH';
    if (producer === undefined || producerEpoch > producer.epoch) {
      producer = { epoch: producerEpoch, next: producer === undefined ? null : 0, recent: [] };
      this.#producers.set(producerId, producer);
    }
    if (producer.recent.some(({ first, count }) => first === firstSequence && count === records.length))
      return 'duplicate';
    if (producer.next !== null && firstSequence !== producer.next) return 'OUT_OF_ORDER_SEQUENCE_NUMBER';
    producer.next = firstSequence + records.length;
    producer.recent.push({ first: firstSequence, count: records.length });
    if (producer.recent.length > REMEMBERED) producer.recent.shift();
    return 'appended';
  }
}
