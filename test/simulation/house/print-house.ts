import type { Breach } from '../oracle.ts';
import { printBreach } from '../print.ts';
import type { PlannedFault } from './mix.ts';
import type { HouseRun } from './simulate-house.ts';

const LINES_MAX = 120;

const printFault = ({ at, kind, ...rest }: PlannedFault): string =>
  `  ${new Date(at).toISOString().slice(5)} ${kind} ${Object.entries(rest)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`.trimEnd();

const printMix = ({ faults: _, ...mix }: HouseRun['mix']): string =>
  Object.entries(mix)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' ');

const lastLines = (trace: readonly string[]): string[] =>
  trace.length <= LINES_MAX
    ? [...trace]
    : [`… ${trace.length - LINES_MAX} lines before; --trace FILE writes all`, ...trace.slice(-LINES_MAX)];

/** A breach in a house as a person reads it: the truth, the records and the verdicts, then the house and what happened in it. */
export const printHouseBreach = (breach: Breach, house: HouseRun): string =>
  [
    printBreach(breach, house.run),
    '',
    `The house: ${printMix(house.mix)}`,
    'Its faults:',
    ...house.mix.faults.map(printFault),
    '',
    'What happened in it (milliseconds of its own time, who, what):',
    ...lastLines(house.trace).map((line) => `  ${line}`),
  ].join('\n');
