import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { OperatingError } from '../errors.ts';
import { contractHash } from './hash.ts';
import type { ContractFile } from './load.ts';
import type { Problem } from './problem.ts';

/** `id@version` → the full SHA-256 of a published contract. */
export type ContractLock = Readonly<Record<string, string>>;

const lockSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));

const LOCK_NAME = 'lock.json';
const VERSION_FILE = /^\d+\.\d+\.\d+\.ya?ml$/;

/** Where the lock of a contract file or folder stands: of `contracts/<id>/<version>.yaml` it is `contracts/lock.json`. */
export const lockPathOf = (path: string): string => {
  const given = resolve(path);
  const folder = statSync(given).isFile() ? dirname(given) : given;
  const isOneContract = readdirSync(folder).some((name) => VERSION_FILE.test(name));
  return join(isOneContract ? dirname(folder) : folder, LOCK_NAME);
};

/** @throws OperatingError CONTRACT_INVALID naming the file where it is no lock */
export const readLock = (file: string): ContractLock => {
  const refuse = (cause?: unknown): OperatingError =>
    new OperatingError('CONTRACT_INVALID', `${file} should be JSON of "<id>@<version>": "<64 hex digits>" alone`, {
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw refuse(cause);
  }
  const parsed = lockSchema.safeParse(value);
  if (!parsed.success) throw refuse();
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
