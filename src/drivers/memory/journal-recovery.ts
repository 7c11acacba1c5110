import type { FileHandle } from 'node:fs/promises';
import { OperatingError } from '../../errors.ts';
import { holdsEntryAfter, JOURNAL_MAGIC, readFrame } from './journal-frame.ts';

const READ_BYTES = 1024 * 1024;

/** What opening a journal found. */
export interface JournalRecovery {
  readonly entries: number;
  /** bytes of an entry whose write was cut off; they were never acknowledged and are gone */
  readonly tornBytes: number;
}

export interface JournalReaders {
  /** hears every entry of the file, in order, before `open` resolves */
  readonly onEntry: (payload: string) => void | Promise<void>;
  /** hears of a torn tail; never silent */
  readonly onWarning: (message: string) => void;
}

const corrupt = (path: string, offset: number, what: string): OperatingError =>
  new OperatingError('JOURNAL_CORRUPT', `the journal ${path} is damaged at byte ${offset}: ${what}`, {
    context: { path, offset },
  });

const cutOff = async (
  path: string,
  file: FileHandle,
  offset: number,
  size: number,
  warn: (message: string) => void,
): Promise<number> => {
  await file.truncate(offset);
  await file.sync();
  warn(
    `the last entry of the journal ${path} was cut off in the middle of its write; ` +
      `${size - offset} bytes from byte ${offset} on were never acknowledged and are dropped`,
  );
  return size - offset;
};

/** Reads every entry of an open journal; drops a torn tail; throws JOURNAL_CORRUPT where acknowledged entries would be lost. */
export const recoverJournal = async (
  path: string,
  file: FileHandle,
  options: JournalReaders,
): Promise<{ end: number; recovery: JournalRecovery }> => {
  const { size } = await file.stat();
  const magic = Buffer.alloc(JOURNAL_MAGIC.length);
  const { bytesRead: magicBytes } = await file.read(magic, 0, magic.length, 0);
  if (!JOURNAL_MAGIC.startsWith(magic.toString('latin1', 0, magicBytes)))
    throw corrupt(path, 0, 'it does not begin as a journal');
  if (magicBytes < magic.length) {
    await file.write(JOURNAL_MAGIC, 0);
    await file.sync();
    if (size > 0)
      options.onWarning(`the journal ${path} was cut off in the middle of its first line; it holds nothing`);
    return { end: JOURNAL_MAGIC.length, recovery: { entries: 0, tornBytes: 0 } };
  }
  let entries = 0;
  let base = JOURNAL_MAGIC.length;
  let held = Buffer.alloc(0);
  let readTo = base;
  for (;;) {
    let at = 0;
    let frame = readFrame(held, at);
    while (frame.form === 'entry') {
      await options.onEntry(frame.payload);
      entries += 1;
      at = frame.end;
      frame = readFrame(held, at);
    }
    held = held.subarray(at);
    base += at;
    if (readTo < size && frame.form === 'short') {
      held = Buffer.concat([
        held,
        await readPart(file, readTo, Math.min(size - readTo, Math.max(READ_BYTES, held.length))),
      ]);
      readTo = base + held.length;
      continue;
    }
    if (held.length === 0 && readTo >= size) return { end: size, recovery: { entries, tornBytes: 0 } };
    // Neither a whole entry nor the clean end: a torn tail, unless a good entry follows.
    const rest = Buffer.concat([held, await readPart(file, readTo, size - readTo)]);
    if (holdsEntryAfter(rest, 0))
      throw corrupt(path, base, 'the entry there does not agree with its length or CRC, and later ones do');
    const tornBytes = await cutOff(path, file, base, size, options.onWarning);
    return { end: base, recovery: { entries, tornBytes } };
  }
};

const readPart = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const part = Buffer.alloc(length);
  const { bytesRead } = await file.read(part, 0, length, position);
  return part.subarray(0, bytesRead);
};
