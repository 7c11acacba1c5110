import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { STANDARD_INPUT } from '../drivers/files/input-file.ts';

/** Gives `use` file names that can be read twice: standard input is copied to a temporary file, which is removed after. */
export const withSpooledInput = async <T>(
  files: readonly string[],
  use: (files: readonly string[]) => Promise<T>,
): Promise<T> => {
  if (!files.includes(STANDARD_INPUT)) return use(files);
  const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
  try {
    const spool = join(folder, 'standard-input');
    await pipeline(process.stdin, createWriteStream(spool, { mode: 0o600 }));
    return await use(files.map((file) => (file === STANDARD_INPUT ? spool : file)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
