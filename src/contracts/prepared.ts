import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Contract } from '../evaluator/contract.ts';
import { type ReadContract, readContract, readYaml } from './read-contract.ts';

/** SHA-256 of a contract file's text, hex → what it was read as */
export type PreparedContracts = Readonly<Record<string, Contract>>;

const digestOf = (source: string): string => hash('sha256', source, 'hex');

/** Made with the build, for the contracts that come along; not there where the sources run as they are. */
const FILE = new URL('./prepared.json', import.meta.url);
let shipped: PreparedContracts | null = null;

const readShipped = (): PreparedContracts => {
  shipped ??= existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as PreparedContracts) : {};
  return shipped;
};

/** Reads contract documents for the build to keep. Throws a TypeError on one that is none. */
export const prepareContracts = (sources: readonly string[]): PreparedContracts =>
  Object.fromEntries(
    sources.map((source) => {
      const read = readContract(source, 'a shipped contract');
      if (!read.ok) throw new TypeError(`a shipped contract cannot be read: ${JSON.stringify(read.problems)}`);
      return [digestOf(source), read.contract];
    }),
  );

/**
 * As `readContract`, but a text that the build has read is not parsed and checked again: of all that a start does, that takes
 * longest. Its lines are looked up where a problem asks for one.
 */
export const readPrepared = (source: string, file: string, prepared = readShipped()): ReadContract => {
  const contract = prepared[digestOf(source)];
  if (contract === undefined) return readContract(source, file);
  const yaml = {
    get value() {
      return readYaml(source, file).value;
    },
    lineOf: (path: readonly PropertyKey[]) => readYaml(source, file).lineOf(path),
    problems: [],
  };
  return { ok: true, contract, yaml };
};
