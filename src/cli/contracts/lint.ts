import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { lintContract } from '../../contracts/lint.ts';
import { type ContractFile, readContracts } from '../../contracts/load.ts';
import {
  addToLock,
  type ContractLock,
  changedSincePublished,
  isLocked,
  lockPathOf,
  missingFromFolder,
  readLock,
} from '../../contracts/lock.ts';
import { fieldName, type Problem } from '../../contracts/problem.ts';

/** One line of what lint found. `note`: true, and nothing to be done: a published version never changes. */
export interface LintLine extends Problem {
  readonly rule: string;
  readonly severity: 'error' | 'warning' | 'note';
}

export interface LintReport {
  readonly contracts: number;
  readonly findings: readonly LintLine[];
  /** versions that were added to the lock */
  readonly locked: readonly string[];
  readonly isClean: boolean;
}

const asError =
  (rule: string) =>
  (problem: Problem): LintLine => ({ ...problem, rule, severity: 'error' });

const findingsOf = (file: ContractFile, lock: ContractLock | null): LintLine[] =>
  lintContract(file.contract).map(({ rule, severity, path, was, shouldBe }) => ({
    file: file.file,
    line: file.yaml.lineOf(path),
    field: fieldName(path),
    was,
    shouldBe,
    rule,
    severity: severity === 'warning' && lock !== null && isLocked(lock, file) ? 'note' : severity,
  }));

/** Lints contract files and folders, and holds published versions against the lock file found with them. */
export const lintPaths = (paths: readonly string[], options: { readonly updateLock: boolean }): LintReport => {
  const { files, problems } = readContracts(paths);
  const [first] = paths;
  const lockPath = first === undefined ? null : lockPathOf(first);
  const lockFile = lockPath !== null && existsSync(lockPath) ? lockPath : null;
  const findings: LintLine[] = problems.map(asError('schema'));
  let lock = lockFile === null ? null : readLock(lockFile);
  if (lock !== null && lockFile !== null) {
    findings.push(...changedSincePublished(lock, files).map(asError('published-changed')));
    if (paths.some((path) => resolve(path) === dirname(lockFile)))
      findings.push(...missingFromFolder(lock, lockFile, files).map(asError('published-missing')));
  }
  const unlocked = files.flatMap((file) => findingsOf(file, lock));
  const hasErrors = findings.length > 0 || unlocked.some(({ severity }) => severity === 'error');
  let locked: string[] = [];
  if (options.updateLock && !hasErrors && lockPath !== null) {
    locked = addToLock(lockPath, files);
    lock = readLock(lockPath);
  }
  findings.push(...(locked.length === 0 ? unlocked : files.flatMap((file) => findingsOf(file, lock))));
  return { contracts: files.length, findings, locked, isClean: findings.every(({ severity }) => severity === 'note') };
};
