const BLOCK_BYTES = 1024 * 1024;
const CLASS_BYTES = 128;
/** Longer texts stand in a buffer of their own. */
const LARGEST = 32 * 1024;

/**
 * Texts by slot (a small integer), kept outside the heap as UTF-8, or as the bytes that somebody made of them: no object for the
 * garbage collector to visit, and no room kept free for it to copy them to. A text takes its size rounded up to 128 bytes; the place of one that has outgrown it is used
 * again.
 */
export class TextSlab {
  readonly #blocks: Buffer[] = [];
  #used = BLOCK_BYTES;
  /** slot → place of its text: block number × block size + offset in the block */
  #place = new Float64Array(1024);
  /** slot → bytes of its text; 0: none */
  #bytes = new Int32Array(1024);
  readonly #large = new Map<number, Buffer>();
  /** places by size class */
  readonly #free: number[][] = [];

  set(slot: number, text: string | Buffer): void {
    const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.length;
    if (bytes === 0) throw new RangeError('a slab holds no empty text');
    this.#reserve(slot + 1);
    const before = this.#bytes[slot] ?? 0;
    if (classOf(before) !== classOf(bytes)) {
      this.delete(slot);
      if (bytes <= LARGEST) this.#place[slot] = this.#take(classOf(bytes));
    }
    this.#bytes[slot] = bytes;
    if (bytes > LARGEST) {
      this.#large.set(slot, typeof text === 'string' ? Buffer.from(text) : text);
      return;
    }
    const [block, offset] = this.#at(slot);
    if (typeof text === 'string') block.write(text, offset, bytes, 'utf8');
    else text.copy(block, offset);
  }

  get(slot: number): string | null {
    return this.bytesOf(slot)?.toString('utf8') ?? null;
  }

  /** What is held, where it is held: to be read before the slot is set again. */
  bytesOf(slot: number): Buffer | null {
    const bytes = this.#bytes[slot] ?? 0;
    if (bytes === 0) return null;
    if (bytes > LARGEST) return this.#large.get(slot) ?? null;
    const [block, offset] = this.#at(slot);
    return block.subarray(offset, offset + bytes);
  }

  delete(slot: number): void {
    const bytes = this.#bytes[slot] ?? 0;
    if (bytes === 0) return;
    this.#bytes[slot] = 0;
    if (bytes > LARGEST) {
      this.#large.delete(slot);
      return;
    }
    const size = classOf(bytes);
    let places = this.#free[size];
    if (places === undefined) {
      places = [];
      this.#free[size] = places;
    }
    places.push(this.#place[slot] ?? 0);
  }

  #take(size: number): number {
    const again = this.#free[size]?.pop();
    if (again !== undefined) return again;
    const capacity = size * CLASS_BYTES;
    if (this.#used + capacity > BLOCK_BYTES) {
      this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
      this.#used = 0;
    }
    const place = (this.#blocks.length - 1) * BLOCK_BYTES + this.#used;
    this.#used += capacity;
    return place;
  }

  #at(slot: number): [Buffer, number] {
    const place = this.#place[slot] ?? 0;
    const block = this.#blocks[Math.floor(place / BLOCK_BYTES)];
    if (block === undefined) throw new RangeError(`slot ${slot} has no place`);
    return [block, place % BLOCK_BYTES];
  }

  #reserve(slots: number): void {
    if (slots <= this.#bytes.length) return;
    const length = Math.max(slots, Math.ceil(this.#bytes.length * 1.5));
    const place = new Float64Array(length);
    place.set(this.#place);
    const bytes = new Int32Array(length);
    bytes.set(this.#bytes);
    [this.#place, this.#bytes] = [place, bytes];
  }
}

/** The size class of a text; -1 for one that stands alone, 0 for none. */
const classOf = (bytes: number): number => (bytes > LARGEST ? -1 : Math.ceil(bytes / CLASS_BYTES));
