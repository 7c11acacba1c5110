const LENGTH_BYTES = 4;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const BYTES_A_UNIT_MAX = 3;

/**
 * Texts one after the other in UTF-8, each behind its length in bytes (32 bits, little-endian): what a script reads with
 * `struct.unpack('<I4c0', …)`. A batch goes to Redis as one such argument: thousands of arguments of their own cost the
 * client four times as much.
 */
export class PackedTexts {
  #buffer: Buffer;
  #end = 0;

  /** @param expected bytes; it grows when that is too few */
  constructor(expected: number) {
    this.#buffer = Buffer.allocUnsafe(Math.max(64, expected));
  }

  push(text: string | number | Buffer): void {
    if (Buffer.isBuffer(text)) {
      this.#makeRoom(text.length, () => text.length);
      this.#buffer.writeUInt32LE(text.length, this.#end);
      this.#buffer.set(text, this.#end + LENGTH_BYTES);
      this.#end += LENGTH_BYTES + text.length;
      return;
    }
    const value = typeof text === 'string' ? text : String(text);
    this.#makeRoom(value.length * BYTES_A_UNIT_MAX, () => Buffer.byteLength(value));
    const written = this.#buffer.write(value, this.#end + LENGTH_BYTES, 'utf8');
    this.#buffer.writeUInt32LE(written, this.#end);
    this.#end += LENGTH_BYTES + written;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }

  /** @param most bytes at most; `exact` counts them where that many may not fit */
  #makeRoom(most: number, exact: () => number): void {
    const free = this.#buffer.length - this.#end - LENGTH_BYTES;
    if (free >= most) return;
    const needed = exact();
    if (free >= needed) return;
    const larger = Buffer.allocUnsafe(this.#buffer.length * 2 + needed);
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}
