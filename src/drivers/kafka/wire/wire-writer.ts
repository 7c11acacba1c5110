/** Shorter texts are written by hand: a call into the runtime costs more than their few characters. */
const SHORT = 48;

/** Bytes that a zigzag varint of `value` takes. `value` is an integer whose double is safe. */
export const varIntSize = (value: number): number => {
  let rest = value >= 0 ? value * 2 : value * -2 - 1;
  let bytes = 1;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
};

/** Writes the protocol's types one after the other into a buffer that is large enough. */
export class WireWriter {
  readonly buffer: Buffer;
  offset = 0;

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size);
  }

  int8(value: number): void {
    this.offset = this.buffer.writeInt8(value, this.offset);
  }

  int16(value: number): void {
    this.offset = this.buffer.writeInt16BE(value, this.offset);
  }

  int32(value: number): void {
    this.offset = this.buffer.writeInt32BE(value, this.offset);
  }

  int64(value: bigint): void {
    this.offset = this.buffer.writeBigInt64BE(value, this.offset);
  }

  varInt(value: number): void {
    let rest = value >= 0 ? value * 2 : value * -2 - 1;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.buffer[this.offset++] = (rest % 0x80) | 0x80;
    this.buffer[this.offset++] = rest;
  }

  /** @param size its bytes in UTF-8, as whoever made room for it has counted them */
  text(text: string, size: number): void {
    if (size !== text.length || size > SHORT) {
      this.offset += this.buffer.write(text, this.offset, size, 'utf8');
      return;
    }
    // As many bytes as characters: it is ASCII.
    for (let at = 0; at < size; at += 1) this.buffer[this.offset++] = text.charCodeAt(at);
  }

  bytes(bytes: Uint8Array): void {
    this.buffer.set(bytes, this.offset);
    this.offset += bytes.length;
  }

  /** A length of 16 bits and the text; null is the length -1. */
  string(text: string | null): void {
    const size = text === null ? -1 : Buffer.byteLength(text);
    this.int16(size);
    if (text !== null) this.text(text, size);
  }
}

/** Bytes of {@link WireWriter.string}. */
export const stringSize = (text: string | null): number => 2 + (text === null ? 0 : Buffer.byteLength(text));
