import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatingError } from '../errors.ts';
import type { ContractSet } from '../evaluator/compile.ts';
import type { Contract } from '../evaluator/contract.ts';
import { createContractSet } from './contract-set.ts';
import { readPrepared } from './prepared.ts';
import { type Problem, printProblem } from './problem.ts';
import { type LocatedYaml, readContract } from './read-contract.ts';

/** The contracts that come with Countersign. */
export const SHIPPED_CONTRACTS = fileURLToPath(new URL('../../contracts', import.meta.url));

export interface ContractFile {
  readonly file: string;
  readonly contract: Contract;
  readonly yaml: LocatedYaml;
}

const isYaml = (name: string): boolean => name.endsWith('.yaml') || name.endsWith('.yml');

/** Contract files of a folder, sorted: every YAML file that is not in a `cases` folder. A file is itself. */
export const contractFiles = (path: string): string[] => {
  if (statSync(path).isFile()) return [path];
  if (basename(path) === 'cases') return [];
  return readdirSync(path, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const child = join(path, entry.name);
      if (entry.isDirectory()) return contractFiles(child);
      return isYaml(entry.name) ? [child] : [];
    });
};

const VERSION_FILE = /^(\d+\.\d+\.\d+)\.ya?ml$/;

/** A contract at `<id>/<version>.yaml` must be that id and version, so that a file is found by what names it. */
const misplaced = ({ file, contract, yaml }: ContractFile): Problem[] => {
  const version = VERSION_FILE.exec(basename(file))?.[1];
  if (version === undefined) return [];
  const place = { id: basename(dirname(file)), version };
  return (['id', 'version'] as const)
    .filter((part) => contract.contract[part] !== place[part])
    .map((part) => ({
      file,
      line: yaml.lineOf(['contract', part]),
      field: `contract.${part}`,
      was: JSON.stringify(contract.contract[part]),
      shouldBe: `${JSON.stringify(place[part])}, as the file's path says`,
    }));
};

const twice = (files: readonly ContractFile[]): Problem[] => {
  const seen = new Map<string, string>();
  return files.flatMap(({ file, contract, yaml }) => {
    const name = `${contract.contract.id}@${contract.contract.version}`;
    const other = seen.get(name);
    seen.set(name, other ?? file);
    if (other === undefined) return [];
    return [
      {
        file,
        line: yaml.lineOf(['contract']),
        field: 'contract',
        was: name,
        shouldBe: `unique: ${other} is ${name} too`,
      },
    ];
  });
};

/** Reads contract files and folders. Problems of all files come back together; nothing is thrown for a bad contract. */
export const readContracts = (
  paths: readonly string[],
  read = readContract,
): { readonly files: readonly ContractFile[]; readonly problems: readonly Problem[] } => {
  const files: ContractFile[] = [];
  const problems: Problem[] = [];
  for (const file of new Set(paths.flatMap(contractFiles))) {
    const one = read(readFileSync(file, 'utf8'), file);
    if (one.ok) files.push({ file, contract: one.contract, yaml: one.yaml });
    else problems.push(...one.problems);
  }
  problems.push(...files.flatMap(misplaced), ...twice(files));
  return { files, problems };
};

/**
 * The contracts of a folder (or one file) as a set; the shipped ones by default.
 * @throws OperatingError CONTRACT_INVALID naming every problem with file, line and field, or that there is no contract
 */
export const loadContracts = (path: string = SHIPPED_CONTRACTS): ContractSet => {
  let read: ReturnType<typeof readContracts>;
  try {
    read = readContracts([path], readPrepared);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OperatingError('CONTRACT_INVALID', `contracts cannot be read from ${path}: ${why}`, {
      cause,
      context: { path },
    });
  }
  if (read.problems.length > 0)
    throw new OperatingError('CONTRACT_INVALID', read.problems.map(printProblem).join('\n'), { context: { path } });
  if (read.files.length === 0)
    throw new OperatingError('CONTRACT_INVALID', `no contract in ${path}: it should hold <id>/<version>.yaml`, {
      context: { path },
    });
  return createContractSet(read.files.map((file) => file.contract));
};
