import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { contractHash } from './hash.ts';
import type { ContractFile } from './load.ts';
import type { Problem } from './problem.ts';

/** `id@version` → the full SHA-256 of a published contract. */
export type ContractLock = Readonly<Record<string, string>>;

const lockSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));

const LOCK_NAME = 'lock.json';
const PARENTS_MAX = 2;

/** The lock file of a contract file or folder: in it or up to two folders above; null where there is none. */
export const findLock = (path: string): string | null => {
  let folder = statSync(path).isFile() ? dirname(path) : path;
  for (let step = 0; step <= PARENTS_MAX; step += 1) {
    const file = join(folder, LOCK_NAME);
    if (existsSync(file)) return file;
    folder = dirname(folder);
  }
  return null;
};

/** Throws a TypeError that names the file where it is no lock. */
export const readLock = (file: string): ContractLock => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new TypeError(`${file} is not JSON`, { cause });
  }
  const parsed = lockSchema.safeParse(value);
  if (!parsed.success) throw new TypeError(`${file} should hold "<id>@<version>": "<64 hex digits>" alone`);
  return parsed.data;
};

const keyOf = ({ contract }: ContractFile): string => `${contract.contract.id}@${contract.contract.version}`;

/** Whether this very document is the one that was published. */
export const isLocked = (lock: ContractLock, file: ContractFile): boolean =>
  lock[keyOf(file)] === contractHash(file.contract);

/** Published versions that changed. A verdict names a version: what it meant must stay what it means. */
export const changedSincePublished = (lock: ContractLock, files: readonly ContractFile[]): Problem[] =>
  files.flatMap((file) => {
    const locked = lock[keyOf(file)];
    const hash = contractHash(file.contract);
    if (locked === undefined || locked === hash) return [];
    return [
      {
        file: file.file,
        line: file.yaml.lineOf(['contract', 'version']),
        field: 'contract.version',
        was: `${keyOf(file)} with hash ${hash.slice(0, 16)}`,
        shouldBe: `unchanged (hash ${locked.slice(0, 16)}): a published version never changes, give the change a new version`,
      },
    ];
  });

/** Published versions whose file is gone. Only to be asked of the whole folder. */
export const missingFromFolder = (lock: ContractLock, lockFile: string, files: readonly ContractFile[]): Problem[] => {
  const there = new Set(files.map(keyOf));
  return Object.keys(lock)
    .filter((key) => !there.has(key))
    .map((key) => ({
      file: lockFile,
      line: null,
      field: key,
      was: 'without its contract file',
      shouldBe: 'kept: verdicts name this version',
    }));
};

/** Adds versions that are not locked yet; never touches one that is. Answers what was added. */
export const addToLock = (lockFile: string, files: readonly ContractFile[]): string[] => {
  const lock = existsSync(lockFile) ? readLock(lockFile) : {};
  const added = files.filter((file) => lock[keyOf(file)] === undefined);
  if (added.length === 0) return [];
  const all = { ...lock, ...Object.fromEntries(added.map((file) => [keyOf(file), contractHash(file.contract)])) };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(lockFile, `${JSON.stringify(sorted, null, 2)}\n`);
  return added.map(keyOf).sort();
};
