import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperatingError } from '../../errors.ts';
import { frameEntry, JOURNAL_MAGIC } from './journal-frame.ts';
import { lockJournal, unlockJournal } from './journal-lock.ts';

export type { JournalRecovery } from './journal-recovery.ts';

import { type JournalReaders, type JournalRecovery, recoverJournal } from './journal-recovery.ts';

/**
 * An append-only file of entries, each with its length and CRC-32. `append` resolves when its entries are on the disk
 * (fdatasync), all of one call together. What a crash cut off in the middle of a write is dropped at the next opening, with a
 * warning; damage anywhere before the end is an error that names the offset, since acknowledged entries would be lost.
 */
export class Journal {
  readonly path: string;
  readonly recovery: JournalRecovery;
  readonly #file: FileHandle;
  #end: number;
  #writing: Promise<void> = Promise.resolve();
  #failure: OperatingError | null = null;

  private constructor(path: string, file: FileHandle, end: number, recovery: JournalRecovery) {
    this.path = path;
    this.#file = file;
    this.#end = end;
    this.recovery = recovery;
  }

  /**
   * Opens or creates the journal at `path`, replays its entries, and takes it for this process.
   * Throws JOURNAL_LOCKED, JOURNAL_CORRUPT or JOURNAL_UNWRITABLE.
   */
  static async open(path: string, options: JournalReaders): Promise<Journal> {
    await lockJournal(path);
    let file: FileHandle | null = null;
    try {
      file = await openFile(path);
      const { end, recovery } = await recoverJournal(path, file, options);
      return new Journal(path, file, end, recovery);
    } catch (error) {
      await file?.close();
      await unlockJournal(path);
      throw error;
    }
  }

  /** bytes in the file */
  get size(): number {
    return this.#end;
  }

  /** Adds entries and resolves when they are on the disk. After a failed write every later call fails too: the file's end is unknown. */
  append(payloads: readonly string[]): Promise<void> {
    const bytes = Buffer.concat(payloads.map(frameEntry));
    const written = this.#writing.then(() => this.#write(bytes));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
    await unlockJournal(this.path);
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#end + done);
        done += bytesWritten;
      }
      await this.#file.datasync();
      this.#end += bytes.length;
    } catch (cause) {
      this.#failure = unwritable(this.path, cause);
      throw this.#failure;
    }
  }
}

const unwritable = (path: string, cause: unknown): OperatingError =>
  new OperatingError(
    'JOURNAL_UNWRITABLE',
    `cannot write the journal ${path}: ${cause instanceof Error ? cause.message : cause}`,
    {
      cause,
      context: { path },
    },
  );

const openFile = async (path: string): Promise<FileHandle> => {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unwritable(path, error);
  }
  try {
    const file = await open(path, 'wx+');
    await file.write(JOURNAL_MAGIC, 0);
    await file.sync();
    // The new name itself must survive a power cut.
    const folder = await open(dirname(path), 'r');
    await folder.sync();
    await folder.close();
    return file;
  } catch (error) {
    throw unwritable(path, error);
  }
};
