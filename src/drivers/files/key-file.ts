import { readFileSync, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { OperatingError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { type KeySet, parseKeySet } from '../../receipts/index.ts';

/** How often a file is looked at for a change. */
const LOOK_MS = 5_000;

const markOf = ({ mtimeMs, size, ino }: Stats): string => `${mtimeMs}:${size}:${ino}`;

const unreadable = (path: string, cause: unknown): OperatingError =>
  new OperatingError('CONFIG_INVALID', `receipts.keys: cannot read the key set ${path}: ${(cause as Error).message}`, {
    cause,
    context: { path },
  });

/** Reads a key set from a file, now. Throws CONFIG_INVALID. */
export const readKeyFile = (path: string): KeySet => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(path, cause);
  }
  return parseKeySet(text, path);
};

/**
 * The keys of a file, read again where it has changed, so that a rotation needs no restart. A file that cannot be read any more
 * is told of, and the keys that were read before stay.
 */
export const watchKeyFile = async (
  path: string,
  clock: Clock,
  onWarning: (message: string) => void,
): Promise<() => Promise<KeySet>> => {
  let keys = readKeyFile(path);
  const first = await stat(path);
  if ((first.mode & 0o077) !== 0)
    onWarning(`the key file ${path} can be read by others than its owner; its mode should be 0600`);
  let mark = markOf(first);
  let lookedAt = clock.now();
  return async () => {
    const now = clock.now();
    if (Math.abs(now - lookedAt) < LOOK_MS) return keys;
    lookedAt = now;
    try {
      const next = markOf(await stat(path));
      if (next === mark) return keys;
      keys = parseKeySet(await readFile(path, 'utf8'), path);
      mark = next;
    } catch (error) {
      onWarning(`the keys read before stay in use: ${(error as Error).message}`);
    }
    return keys;
  };
};
