import { type Json, jsonType } from '../evaluator/json.ts';

/** One thing wrong with a contract or case file: where it stands, what it was and what it should be. */
export interface Problem {
  readonly file: string;
  /** 1-based line; null where no line can be named */
  readonly line: number | null;
  /** e.g. `verified[2].operator` */
  readonly field: string;
  readonly was: string;
  readonly shouldBe: string;
}

/** `contracts/x/1.0.0.yaml:12 verified[2].operator: was "equals", should be …` */
export const printProblem = (problem: Problem): string =>
  `${problem.file}${problem.line === null ? '' : `:${problem.line}`} ${problem.field}: was ${problem.was}, should be ${problem.shouldBe}`;

/** `verified[2].operator` of a path of keys and indexes; `document` for the root. */
export const fieldName = (path: readonly PropertyKey[]): string => {
  let name = '';
  for (const key of path) name += typeof key === 'number' ? `[${key}]` : `${name === '' ? '' : '.'}${String(key)}`;
  return name === '' ? 'document' : name;
};

const SHOWN_MAX = 80;

/** A value as an error shows it: JSON text of at most 80 characters, `missing` where there is none. */
export const showValue = (value: Json | undefined): string => {
  if (value === undefined) return 'missing';
  const type = jsonType(value);
  if (type === 'object') return 'an object';
  if (type === 'array') return 'a list';
  const text = typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
};
