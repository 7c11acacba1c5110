import { closeSync, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import type { DeadLetter } from '../consumers/decoded-record.ts';
import { STANDARD_INPUT } from '../drivers/files/input-file.ts';
import type { LogFileLine } from '../drivers/files/log-file.ts';
import { outputUnwritable } from './output-unwritable.ts';
import { UsageError } from './report-error.ts';

/** One bad line, as it is written: the line itself as text, as base64 where it is not UTF-8, or its length where it was not held. */
export const printDeadLetter = ({ file, line }: LogFileLine, { code, reason }: DeadLetter): string => {
  const head = { line: line.number, file, code, reason };
  if (line.form === 'text') return JSON.stringify({ ...head, text: line.text });
  if (line.form === 'not_utf8') return JSON.stringify({ ...head, bytes: line.bytes.toString('base64') });
  return JSON.stringify({ ...head, length: line.length });
};

/** Where bad lines go, one JSON object a line: a file, or stderr. */
export interface DeadLetterLog {
  readonly count: number;
  readonly byCode: ReadonlyMap<string, number>;
  /** Throws OUTPUT_UNWRITABLE. */
  add(line: LogFileLine, deadLetter: DeadLetter): void;
  close(): void;
}

const statsOf = (read: () => Stats): Stats | null => {
  try {
    return read();
  } catch {
    // Not there: it is no other file either.
    return null;
  }
};

/** Opening would empty it before it is read. Told apart by what is on the disk: one file can have many names. */
const refuseInput = (path: string, inputs: readonly string[]): void => {
  const target = statsOf(() => statSync(path));
  if (target === null || !target.isFile()) return;
  for (const input of inputs) {
    const read = statsOf(() => (input === STANDARD_INPUT ? fstatSync(process.stdin.fd) : statSync(input)));
    if (read !== null && read.dev === target.dev && read.ino === target.ino)
      throw new UsageError(`--dead-letter ${path} is an input file too: it should be another file`);
  }
};

/**
 * The file is emptied here, before the first record: what an earlier run has left is never taken for this run's, and a file
 * that stays empty says that no line was bad.
 * @param path the file to write anew; null: stderr. Throws UsageError where it cannot be written or is one of `inputs`.
 */
export const openDeadLetterLog = (path: string | null, inputs: readonly string[]): DeadLetterLog => {
  let descriptor: number = process.stderr.fd;
  if (path !== null) {
    refuseInput(path, inputs);
    try {
      descriptor = openSync(path, 'w');
    } catch (error) {
      throw new UsageError(`--dead-letter ${path} cannot be written: ${(error as Error).message}`);
    }
  }
  let count = 0;
  const byCode = new Map<string, number>();
  return {
    get count() {
      return count;
    },
    byCode,
    add: (line, deadLetter) => {
      count += 1;
      byCode.set(deadLetter.code, (byCode.get(deadLetter.code) ?? 0) + 1);
      writeFully(descriptor, path ?? 'standard error', `${printDeadLetter(line, deadLetter)}\n`);
    },
    close: () => {
      if (path !== null) closeSync(descriptor);
    },
  };
};

const writeFully = (descriptor: number, name: string, text: string): void => {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      // A pipe whose reader is slow says EAGAIN and takes the rest a moment later; one whose reader is gone takes nothing more.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw outputUnwritable(name, error as NodeJS.ErrnoException);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
};
