import { parseArgs } from 'node:util';
import { RULES, type Rule } from './oracle.ts';

export interface SimulateOptions {
  /** the first seed */
  readonly seed: number;
  readonly runs: number;
  /** null: as many as there are runs */
  readonly minutes: number | null;
  /** stop once so many operations were judged; null: as many as there are runs */
  readonly operations: number | null;
  /** processes at once */
  readonly jobs: number;
  /** admission and reducer alone, without a house */
  readonly isCore: boolean;
  readonly isJson: boolean;
  readonly rule: Rule | null;
  readonly isBrief: boolean;
  readonly keepsGoing: boolean;
  /** a file for every line of the trace */
  readonly trace: string | null;
  /** a file for the failing seed in its shortest form */
  readonly keep: boolean;
}

const numberOf = (name: string, text: string | undefined, otherwise: number, least = 1): number => {
  if (text === undefined) return otherwise;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(number) || number < least)
    throw new TypeError(`--${name}: was ${JSON.stringify(text)}, should be a whole number from ${least} on`);
  return number;
};

/** A rule that there is: of a misspelt one no breach would ever be found. */
const ruleOf = (text: string | undefined): Rule | null => {
  if (text === undefined) return null;
  const rule = RULES.find((one) => one === text);
  if (rule === undefined)
    throw new TypeError(`--rule: was ${JSON.stringify(text)}, should be one of ${RULES.join(', ')}`);
  return rule;
};

/** Reads the command line of `npm run simulate`. Throws a TypeError that names what is wrong. */
export const readOptions = (args: readonly string[]): SimulateOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      runs: { type: 'string' },
      minutes: { type: 'string' },
      operations: { type: 'string' },
      jobs: { type: 'string' },
      core: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      rule: { type: 'string' },
      brief: { type: 'boolean', default: false },
      'keep-going': { type: 'boolean', default: false },
      trace: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  for (const name of ['trace', 'keep'] as const)
    if (values.core && values[name]) throw new TypeError(`--${name}: needs a house, should be without --core`);
  const minutes = values.minutes === undefined ? null : numberOf('minutes', values.minutes, 0);
  const operations = values.operations === undefined ? null : numberOf('operations', values.operations, 0);
  const otherwise =
    minutes !== null || operations !== null ? Number.MAX_SAFE_INTEGER : values.seed === undefined ? 20 : 1;
  return {
    seed: numberOf('seed', values.seed, 1, 0),
    runs: numberOf('runs', values.runs, otherwise),
    minutes,
    operations,
    jobs: numberOf('jobs', values.jobs, 1),
    isCore: values.core,
    isJson: values.json,
    rule: ruleOf(values.rule),
    isBrief: values.brief || values['keep-going'],
    keepsGoing: values['keep-going'],
    trace: values.trace ?? null,
    keep: values.keep,
  };
};
