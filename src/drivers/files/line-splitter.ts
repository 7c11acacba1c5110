import { isAscii, isUtf8 } from 'node:buffer';

/** Longest line that is held, in bytes. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** A line of a file; `number` counts from 1, blank lines included. */
export type Line =
  | { readonly form: 'text'; readonly number: number; readonly text: string }
  | { readonly form: 'not_utf8'; readonly number: number; readonly bytes: Buffer }
  | { readonly form: 'too_long'; readonly number: number; readonly length: number };

const LF = 10;
const CR = 13;
const BLANK = /^\s*$/;

/**
 * Cuts a stream of bytes into lines. Holds at most one line of {@link MAX_LINE_BYTES}: a longer one is counted and let go.
 * Takes LF and CRLF, a byte order mark, and a last line without an end; leaves blank lines out.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #carry: Buffer[] = [];
  #carried = 0;
  #number = 0;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    const ascii = isAscii(chunk);
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      if (this.#carried > 0) this.#finish(chunk.subarray(start, end), lines);
      else this.#cut(chunk, start, end, ascii, lines);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  end(): Line[] {
    const lines: Line[] = [];
    if (this.#carried > 0) this.#finish(Buffer.alloc(0), lines);
    return lines;
  }

  #keep(rest: Buffer): void {
    this.#carried += rest.length;
    // A copy: a part of a chunk would hold the whole chunk.
    if (this.#carried <= this.#maxBytes) this.#carry.push(Buffer.from(rest));
    else this.#carry = [];
  }

  #finish(rest: Buffer, lines: Line[]): void {
    const length = this.#carried + rest.length;
    const held = this.#carry;
    this.#carry = [];
    this.#carried = 0;
    if (length > this.#maxBytes) {
      this.#number += 1;
      lines.push({ form: 'too_long', number: this.#number, length });
      return;
    }
    const whole = Buffer.concat([...held, rest], length);
    this.#cut(whole, 0, length, isAscii(whole), lines);
  }

  #cut(chunk: Buffer, from: number, to: number, ascii: boolean, lines: Line[]): void {
    this.#number += 1;
    const number = this.#number;
    let start = from;
    const end = to > from && chunk[to - 1] === CR ? to - 1 : to;
    if (end - start > this.#maxBytes) {
      lines.push({ form: 'too_long', number, length: end - start });
      return;
    }
    if (ascii) {
      const text = chunk.toString('latin1', start, end);
      if (!BLANK.test(text)) lines.push({ form: 'text', number, text });
      return;
    }
    if (number === 1 && chunk[start] === 0xef && chunk[start + 1] === 0xbb && chunk[start + 2] === 0xbf) start += 3;
    const bytes = chunk.subarray(start, end);
    if (!isUtf8(bytes)) {
      lines.push({ form: 'not_utf8', number, bytes: Buffer.from(bytes) });
      return;
    }
    const text = chunk.toString('utf8', start, end);
    if (!BLANK.test(text)) lines.push({ form: 'text', number, text });
  }
}
