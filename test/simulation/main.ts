import { parseArgs } from 'node:util';
import { checkRun } from './checks.ts';
import type { Breach } from './oracle.ts';
import { commandOf, printBreach } from './print.ts';
import { type Run, simulate } from './run.ts';
import { shrink } from './shrink.ts';
import { matrixOf, type Summary, summarise } from './summary.ts';

/*
 * npx tsx test/simulation/main.ts --seed N          one seed; a breach is printed in its shortest form
 * npx tsx test/simulation/main.ts --runs K          K seeds from --from (default 1)
 *   --json       the summary as JSON
 *   --rule NAME  stop at the first breach of this rule alone
 *   --brief      a line for every breach instead of its shortest form
 *   --keep-going go on after a breach; implies --brief
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string' },
    from: { type: 'string' },
    json: { type: 'boolean', default: false },
    rule: { type: 'string' },
    brief: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
});

const numberOf = (name: string, text: string | undefined, otherwise: number): number => {
  const number = text === undefined ? otherwise : Number(text);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new TypeError(`--${name}: was ${text}, should be a whole number`);
  return number;
};

const show = (run: Run, breach: Breach): void => {
  const shortest = shrink(run, breach) ?? { run, breach };
  process.stdout.write(`${printBreach(shortest.breach, shortest.run)}\n`);
};

const from = numberOf('from', values.from, 1);
const seeds =
  values.seed === undefined
    ? Array.from({ length: numberOf('runs', values.runs, 200) }, (_, index) => from + index)
    : [numberOf('seed', values.seed, 1)];

const startedAt = performance.now();
const summary: Summary = { seeds: 0, operations: 0, records: 0, reads: 0, verdicts: 0, breaches: 0, matrix: {} };
for (const seed of seeds) {
  const run = simulate(seed);
  const breaches = checkRun(run).filter(({ rule }) => values.rule === undefined || rule === values.rule);
  summarise(summary, run, breaches.length);
  const [first] = breaches;
  if (first === undefined) continue;
  process.exitCode = 1;
  if (values.brief || values['keep-going']) {
    for (const { rule, operationId, text } of breaches)
      process.stdout.write(`${rule} ${operationId ?? '-'} ${text}. ${commandOf(seed)}\n`);
  } else show(run, first);
  if (!values['keep-going']) break;
}
const seconds = (performance.now() - startedAt) / 1000;
if (values.json) process.stdout.write(`${JSON.stringify({ ...summary, seconds })}\n`);
else process.stdout.write(matrixOf(summary, seconds));
