import { IndexedHeap } from './indexed-heap.ts';
import type { ReadEntry } from './read-entry.ts';

/** Slots that are looked at for expiry with each payment written: two, so that a sweep goes round faster than the table grows. */
const SWEPT_PER_WRITE = 2;

/**
 * The payments of one shard. Each has a slot (a small integer), and what belongs to it stands in flat arrays: about 90 bytes a
 * payment beyond its key and its state.
 */
export class PaymentTable {
  #slots = new Map<string, number>();
  #keys: string[] = [];
  #values: (string | null)[] = [];
  #expiresAt = new Float64Array(16);
  #free: number[] = [];
  #swept = 0;
  #reads = new Map<number, readonly ReadEntry[]>();
  readonly #byKey = (a: number, b: number): number => (this.keyOf(a) < this.keyOf(b) ? -1 : 1);
  /** slot → when its payment must be evaluated again */
  evaluations = new IndexedHeap(this.#byKey);
  /** slot → when its oldest PENDING operation began */
  unresolved = new IndexedHeap(this.#byKey);
  /** slot → when the first of its reads may be claimed */
  dueReads = new IndexedHeap(this.#byKey);

  get size(): number {
    return this.#slots.size;
  }

  keyOf(slot: number): string {
    return this.#keys[slot] as string;
  }

  /** -1 where the payment is not held or has expired by `now`. */
  slotOf(paymentKey: string, now: number): number {
    const slot = this.#slots.get(paymentKey);
    return slot === undefined || this.#hasExpired(slot, now) ? -1 : slot;
  }

  valueOf(slot: number): string {
    return this.#values[slot] as string;
  }

  readsOf(slot: number): readonly ReadEntry[] {
    return this.#reads.get(slot) ?? [];
  }

  setReads(slot: number, reads: readonly ReadEntry[]): void {
    if (reads.length === 0) this.#reads.delete(slot);
    else this.#reads.set(slot, reads);
  }

  /** Writes the payment's state and returns its slot. */
  set(paymentKey: string, value: string, expiresAt: number): number {
    let slot = this.#slots.get(paymentKey);
    if (slot === undefined) {
      slot = this.#free.pop() ?? this.#keys.length;
      this.#slots.set(paymentKey, slot);
      this.#keys[slot] = paymentKey;
    }
    this.#values[slot] = value;
    if (slot >= this.#expiresAt.length) {
      const larger = new Float64Array(Math.ceil(this.#expiresAt.length * 1.5));
      larger.set(this.#expiresAt);
      this.#expiresAt = larger;
    }
    this.#expiresAt[slot] = expiresAt;
    return slot;
  }

  delete(paymentKey: string): void {
    const slot = this.#slots.get(paymentKey);
    if (slot === undefined) return;
    this.#slots.delete(paymentKey);
    this.#keys[slot] = '';
    this.#values[slot] = null;
    this.#reads.delete(slot);
    this.evaluations.delete(slot);
    this.dueReads.delete(slot);
    this.unresolved.delete(slot);
    this.#free.push(slot);
  }

  /** Drops what has expired by `now` among the next few slots: the cost of expiry is spread over the writes. */
  sweep(writes: number, now: number): void {
    const count = Math.min(this.#keys.length, writes * SWEPT_PER_WRITE);
    for (let step = 0; step < count; step++) {
      this.#swept = this.#swept + 1 < this.#keys.length ? this.#swept + 1 : 0;
      if (this.#values[this.#swept] !== null && this.#hasExpired(this.#swept, now))
        this.delete(this.keyOf(this.#swept));
    }
  }

  *entries(now: () => number): Generator<{ paymentKey: string; value: string }> {
    for (const [paymentKey, slot] of this.#slots)
      if (!this.#hasExpired(slot, now())) yield { paymentKey, value: this.valueOf(slot) };
  }

  clone(): PaymentTable {
    const copy = new PaymentTable();
    copy.#slots = new Map(this.#slots);
    copy.#keys = this.#keys.slice();
    copy.#values = this.#values.slice();
    copy.#expiresAt = this.#expiresAt.slice();
    copy.#free = this.#free.slice();
    copy.#swept = this.#swept;
    copy.#reads = new Map(this.#reads);
    copy.evaluations = this.evaluations.clone(copy.#byKey);
    copy.unresolved = this.unresolved.clone(copy.#byKey);
    copy.dueReads = this.dueReads.clone(copy.#byKey);
    return copy;
  }

  #hasExpired(slot: number, now: number): boolean {
    return (this.#expiresAt[slot] as number) <= now;
  }
}
