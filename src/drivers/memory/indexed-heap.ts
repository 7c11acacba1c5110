/**
 * A binary min-heap of slots (small integers) by time, with each slot's place in it, so that a slot is moved or taken out
 * where it stands: memory is bounded by the live entries. 16 bytes a slot.
 */
export class IndexedHeap {
  readonly #tie: (a: number, b: number) => number;
  #heap = new Int32Array(16);
  #size = 0;
  /** slot → index in the heap + 1; 0: not queued */
  #place = new Int32Array(16);
  #at = new Float64Array(16);

  /** `tie` orders two slots of the same time. */
  constructor(tie: (a: number, b: number) => number) {
    this.#tie = tie;
  }

  get size(): number {
    return this.#size;
  }

  /** The slot with the least time; -1 when nothing is queued. */
  first(): number {
    return this.#size === 0 ? -1 : of(this.#heap, 0);
  }

  at(slot: number): number | null {
    return slot < this.#place.length && of(this.#place, slot) > 0 ? of(this.#at, slot) : null;
  }

  set(slot: number, at: number): void {
    if (slot >= this.#place.length) this.#grow(slot);
    const placed = of(this.#place, slot);
    this.#at[slot] = at;
    if (placed > 0) {
      this.#down(this.#up(placed - 1));
      return;
    }
    if (this.#size === this.#heap.length) this.#heap = enlarged(this.#heap, Int32Array, this.#size + 1);
    this.#put(this.#size, slot);
    this.#size += 1;
    this.#up(this.#size - 1);
  }

  delete(slot: number): void {
    const placed = slot < this.#place.length ? of(this.#place, slot) : 0;
    if (placed === 0) return;
    this.#place[slot] = 0;
    this.#size -= 1;
    const index = placed - 1;
    if (index === this.#size) return;
    this.#put(index, of(this.#heap, this.#size));
    this.#down(this.#up(index));
  }

  /** The slots due at or before `upTo`, soonest first, at most `limit`; all stay queued. */
  due(upTo: number, limit: number): number[] {
    const slots: number[] = [];
    while (slots.length < limit && this.#size > 0) {
      const slot = of(this.#heap, 0);
      if (of(this.#at, slot) > upTo) break;
      slots.push(slot);
      this.delete(slot);
    }
    for (const slot of slots) this.set(slot, of(this.#at, slot));
    return slots;
  }

  clone(tie: (a: number, b: number) => number): IndexedHeap {
    const copy = new IndexedHeap(tie);
    copy.#heap = this.#heap.slice();
    copy.#size = this.#size;
    copy.#place = this.#place.slice();
    copy.#at = this.#at.slice();
    return copy;
  }

  #grow(slot: number): void {
    this.#place = enlarged(this.#place, Int32Array, slot + 1);
    this.#at = enlarged(this.#at, Float64Array, slot + 1);
  }

  #put(index: number, slot: number): void {
    this.#heap[index] = slot;
    this.#place[slot] = index + 1;
  }

  #before(a: number, b: number): boolean {
    const difference = of(this.#at, a) - of(this.#at, b);
    return difference === 0 ? this.#tie(a, b) < 0 : difference < 0;
  }

  #up(from: number): number {
    const slot = of(this.#heap, from);
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = of(this.#heap, parent);
      if (!this.#before(slot, above)) break;
      this.#put(index, above);
      index = parent;
    }
    this.#put(index, slot);
    return index;
  }

  #down(from: number): void {
    const slot = of(this.#heap, from);
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#before(of(this.#heap, child + 1), of(this.#heap, child))) child += 1;
      const below = of(this.#heap, child);
      if (!this.#before(below, slot)) break;
      this.#put(index, below);
      index = child;
    }
    this.#put(index, slot);
  }
}

/** An element that is known to be there. */
const of = (array: Int32Array | Float64Array, index: number): number => array[index] as number;

const enlarged = <T extends Int32Array | Float64Array>(array: T, make: new (length: number) => T, least: number): T => {
  const larger = new make(Math.max(least, Math.ceil(array.length * 1.5)));
  larger.set(array);
  return larger;
};
