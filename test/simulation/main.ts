import { writeFileSync } from 'node:fs';
import { checkRun } from './checks.ts';
import { keepSeed } from './house/kept-seed.ts';
import { printHouseBreach } from './house/print-house.ts';
import { shrinkHouse } from './house/shrink-house.ts';
import { type HouseRun, simulateHouse } from './house/simulate-house.ts';
import { readOptions } from './options.ts';
import type { Breach } from './oracle.ts';
import { commandOf, printBreach } from './print.ts';
import { type Run, simulate } from './run.ts';
import { shrink } from './shrink.ts';
import { matrixOf, newSummary, summarise } from './summary.ts';

/*
 * npm run simulate -- --seed N                    one seed; a breach is printed in its shortest form
 * npm run simulate -- [--seed N] --runs K          K seeds from N on (default 1)
 * npm run simulate -- [--seed N] --minutes M       as many seeds as M minutes take
 *   --core       admission and reducer alone, without a house: ten times as fast
 *   --trace FILE every line of the trace of one seed
 *   --keep       write a failing seed to test/regression/seeds, where the tests replay it
 *   --json       the summary as JSON
 *   --rule NAME  stop at the first breach of this rule alone
 *   --brief      a line for every breach instead of its shortest form
 *   --keep-going go on after a breach; implies --brief
 */
const options = readOptions(process.argv.slice(2));

interface Played {
  readonly run: Run;
  readonly house: HouseRun | null;
  readonly breaches: readonly Breach[];
}

const play = async (seed: number): Promise<Played> => {
  if (options.isCore) {
    const run = simulate(seed);
    return { run, house: null, breaches: checkRun(run) };
  }
  const house = await simulateHouse(seed, { isTraced: options.trace !== null });
  return { run: house.run, house, breaches: house.breaches };
};

const show = async ({ run, house }: Played, breach: Breach): Promise<void> => {
  const shortest = await shrink(run, breach);
  if (house === null || shortest !== null) {
    process.stdout.write(`${printBreach(shortest?.breach ?? breach, shortest?.run ?? run)}\n`);
    if (house === null) return;
  }
  const smaller = await shrinkHouse(house, breach);
  if (shortest === null) process.stdout.write(`${printHouseBreach(smaller.breach, smaller.house)}\n`);
  if (options.keep) process.stdout.write(`kept as ${keepSeed(smaller.house, smaller.breach, smaller.plan)}\n`);
};

const startedAt = performance.now();
const secondsSince = (): number => (performance.now() - startedAt) / 1000;
const summary = newSummary();
for (let seed = options.seed; seed < options.seed + options.runs; seed += 1) {
  if (options.minutes !== null && secondsSince() > options.minutes * 60) break;
  const played = await play(seed);
  const breaches = played.breaches.filter(({ rule }) => options.rule === null || rule === options.rule);
  summarise(summary, played.run, played.house, breaches.length);
  if (options.trace !== null && played.house !== null)
    writeFileSync(options.trace, `${played.house.trace.join('\n')}\n`);
  const [first] = breaches;
  if (first === undefined) continue;
  process.exitCode = 1;
  if (options.isBrief) {
    for (const { rule, operationId, text } of breaches)
      process.stdout.write(`${rule} ${operationId ?? '-'} ${text}. ${commandOf(seed, options.isCore)}\n`);
  } else await show(played, first);
  if (!options.keepsGoing) break;
}
if (options.isJson) process.stdout.write(`${JSON.stringify({ ...summary, seconds: secondsSince() })}\n`);
else process.stdout.write(matrixOf(summary, secondsSince()));
