import type { Writable } from 'node:stream';
import { outputUnwritable } from './output-unwritable.ts';

const CHUNK_CHARS = 128 * 1024;

/**
 * Writes text in large pieces and waits for a slow reader. A reader that is gone (`… | head`) is no error: what is left is
 * dropped and {@link isClosed} says so. A full disk is OUTPUT_UNWRITABLE.
 */
export class ChunkedOutput {
  readonly #stream: Writable;
  #parts: string[] = [];
  #chars = 0;
  #failure: Error | null = null;
  #isClosed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#isClosed = true;
      if (error.code !== 'EPIPE') this.#failure ??= outputUnwritable('standard output', error);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes the text; nothing is written before {@link settle} or {@link flush}. */
  line(text: string): void {
    this.#parts.push(text, '\n');
    this.#chars += text.length + 1;
  }

  /** Writes if enough has gathered, and waits while the reader is behind. Throws what writing threw, a closed pipe apart. */
  async settle(): Promise<void> {
    if (this.#chars >= CHUNK_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#chars === 0) return;
    const text = this.#parts.join('');
    this.#parts = [];
    this.#chars = 0;
    if (this.#isClosed) return;
    // Only the callback tells whether a file took it: the stream says yes to a full disk at first.
    await new Promise<void>((resolve) => this.#stream.write(text, () => resolve()));
    // The error is told right after the callback.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#failure !== null) throw this.#failure;
  }
}
