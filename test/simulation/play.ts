import { checkRun } from './checks.ts';
import { keepSeed } from './house/kept-seed.ts';
import { printHouseBreach } from './house/print-house.ts';
import { shrinkHouse } from './house/shrink-house.ts';
import { type HouseRun, simulateHouse } from './house/simulate-house.ts';
import type { SimulateOptions } from './options.ts';
import type { Breach } from './oracle.ts';
import { commandOf, printBreach } from './print.ts';
import { type Run, simulate } from './run.ts';
import { shrink } from './shrink.ts';
import { newSummary, type Summary, summarise } from './summary.ts';

export type PlayOptions = Pick<SimulateOptions, 'isCore' | 'rule' | 'isBrief' | 'keep' | 'trace'>;

/** What one seed came to, as it passes from one process to another. */
export interface Played {
  readonly seed: number;
  readonly summary: Summary;
  /** its breaches for a person to read; empty where there are none */
  readonly text: string;
  /** null: not asked for, or played without a house */
  readonly trace: readonly string[] | null;
}

interface Judged {
  readonly run: Run;
  readonly house: HouseRun | null;
  readonly breaches: readonly Breach[];
}

const judge = async (seed: number, { isCore, trace }: PlayOptions): Promise<Judged> => {
  if (isCore) {
    const run = simulate(seed);
    return { run, house: null, breaches: checkRun(run) };
  }
  const house = await simulateHouse(seed, { isTraced: trace !== null });
  return { run: house.run, house, breaches: house.breaches };
};

/** The shortest form of a breach. */
const shortestOf = async ({ run, house }: Judged, breach: Breach, keep: boolean): Promise<string> => {
  const parts: string[] = [];
  const shortest = await shrink(run, breach);
  if (house === null || shortest !== null) parts.push(printBreach(shortest?.breach ?? breach, shortest?.run ?? run));
  if (house === null) return parts.join('\n');
  const smaller = await shrinkHouse(house, breach);
  if (shortest === null) parts.push(printHouseBreach(smaller.breach, smaller.house));
  if (keep) parts.push(`kept as ${keepSeed(smaller.house, smaller.breach, smaller.plan)}`);
  return parts.join('\n');
};

const briefOf = ({ run, breaches }: Judged): string =>
  breaches
    .map(({ rule, operationId, text }) => `${rule} ${operationId ?? '-'} ${text}. ${commandOf(run.seed, run.isCore)}`)
    .join('\n');

/** Plays a seed, and holds it to the truth. */
export const play = async (seed: number, options: PlayOptions): Promise<Played> => {
  const judged = await judge(seed, options);
  const breaches = judged.breaches.filter(({ rule }) => options.rule === null || rule === options.rule);
  const [first] = breaches;
  const summary = newSummary();
  summarise(summary, judged.run, judged.house, breaches.length);
  const trace = options.trace === null ? null : (judged.house?.trace ?? null);
  if (first === undefined) return { seed, summary, text: '', trace };
  const text = options.isBrief ? briefOf({ ...judged, breaches }) : await shortestOf(judged, first, options.keep);
  return { seed, summary, text, trace };
};
