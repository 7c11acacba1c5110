import { writeFileSync } from 'node:fs';
import { playSeeds } from './jobs.ts';
import { readOptions, type SimulateOptions } from './options.ts';
import type { Played } from './play.ts';
import { lineOf, matrixOf, mergeSummary, newSummary } from './summary.ts';

/*
 * npm run simulate -- --seed N                    one seed; a breach is printed in its shortest form
 * npm run simulate -- [--seed N] --runs K          K seeds from N on (default 1)
 * npm run simulate -- [--seed N] --operations K    as many seeds as it takes until K operations were judged
 * npm run simulate -- [--seed N] --minutes M       as many seeds as M minutes take
 *   --jobs J     in J processes at once (default 1); a line of progress every ten seconds
 *   --core       admission and reducer alone, without a house: many times as fast
 *   --trace FILE every line of the trace of one seed
 *   --keep       write a failing seed to test/regression/seeds, where the tests replay it
 *   --json       the summary as JSON
 *   --rule NAME  stop at the first breach of this rule alone
 *   --brief      a line for every breach instead of its shortest form
 *   --keep-going go on after a breach; implies --brief
 */
const optionsOrExit = (): SimulateOptions => {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
};

const options = optionsOrExit();
const PROGRESS_EVERY_S = 10;

const startedAt = performance.now();
const secondsSince = (): number => (performance.now() - startedAt) / 1000;
const summary = newSummary();
let [begun, toldAt] = [0, 0];

const isEnough = (): boolean =>
  begun >= options.runs ||
  (options.operations !== null && summary.operations >= options.operations) ||
  (options.minutes !== null && secondsSince() > options.minutes * 60) ||
  (summary.breaches > 0 && !options.keepsGoing);

const next = (): number | null => {
  if (isEnough()) return null;
  begun += 1;
  return options.seed + begun - 1;
};

const done = ({ summary: one, text, trace }: Played): void => {
  mergeSummary(summary, one);
  if (text !== '') process.stdout.write(`${text}\n`);
  if (trace !== null && options.trace !== null) writeFileSync(options.trace, `${trace.join('\n')}\n`);
  if (secondsSince() - toldAt < PROGRESS_EVERY_S) return;
  toldAt = secondsSince();
  process.stderr.write(`${lineOf(summary, toldAt)}\n`);
};

await playSeeds({ jobs: options.jobs, play: options, next, done });
if (summary.breaches > 0) process.exitCode = 1;
if (options.isJson) process.stdout.write(`${JSON.stringify({ ...summary, seconds: secondsSince() })}\n`);
else process.stdout.write(matrixOf(summary, secondsSince()));
