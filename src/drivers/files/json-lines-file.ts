import { closeSync, createReadStream, ftruncateSync, openSync, writeSync } from 'node:fs';
import { OperatingError } from '../../errors.ts';
import { LineSplitter } from './line-splitter.ts';

const LF = 10;

const unwritable = (path: string, cause: unknown): OperatingError =>
  new OperatingError('JOURNAL_UNWRITABLE', `cannot write ${path}: ${(cause as Error).message}`, {
    cause,
    context: { path },
  });

/** Tells every whole line; answers with the length of the file up to and with the last line end. */
const readWhole = async (path: string, onLine: (text: string) => void): Promise<number> => {
  const splitter = new LineSplitter();
  let read = 0;
  let whole = 0;
  for await (const chunk of createReadStream(path)) {
    const bytes = chunk as Buffer;
    const last = bytes.lastIndexOf(LF);
    if (last !== -1) whole = read + last + 1;
    read += bytes.length;
    for (const line of splitter.push(bytes)) if (line.form === 'text') onLine(line.text);
  }
  return whole;
};

/**
 * A file of JSON, one value a line, that is only ever added to. What is added is with the system when `append` returns: a kill
 * loses nothing of it.
 */
export class JsonLinesFile {
  readonly path: string;
  readonly #descriptor: number;

  private constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  /**
   * Opens or creates the file; a last line that a crash cut off is dropped. Throws JOURNAL_UNWRITABLE.
   * @param onLine hears every line that the file holds
   */
  static async open(path: string, onLine: (text: string) => void): Promise<JsonLinesFile> {
    try {
      const descriptor = openSync(path, 'a');
      ftruncateSync(descriptor, await readWhole(path, onLine));
      return new JsonLinesFile(path, descriptor);
    } catch (cause) {
      throw unwritable(path, cause);
    }
  }

  /** Adds one line. Throws JOURNAL_UNWRITABLE. */
  append(text: string): void {
    const bytes = Buffer.from(`${text}\n`);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
    } catch (cause) {
      throw unwritable(this.path, cause);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
