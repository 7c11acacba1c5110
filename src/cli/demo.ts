import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { readLines } from '../drivers/files/input-file.ts';
import { EmbeddedPipeline } from '../drivers/memory/embedded-pipeline.ts';
import type { EmbeddedInput } from '../drivers/memory/journal-entry.ts';
import type { EpochMs, PaymentState, VerdictName, VerdictRecord } from '../evaluator/index.ts';
import { isJsonObject } from '../evaluator/index.ts';
import { parseJsonText, printJson } from '../records/json-text.ts';
import { inputTopicOf } from '../records/topics.ts';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { type LiveView, plainView, terminalView } from './live-view.ts';
import { ChunkedOutput } from './output.ts';
import { createBatchDeps } from './pipeline-options.ts';
import { presentRows } from './present-rows.ts';
import { countVerdicts, printSummary } from './replay-summary.ts';
import { printVerdictTable, verdictRow } from './verdict-table.ts';

const DAY = fileURLToPath(new URL('../../examples/day/', import.meta.url));
const RECORDS = join(DAY, 'records.jsonl.gz');
const SECRETS = join(DAY, 'secrets.yaml');
/** the end of the bundled day */
const EVENING = Date.parse('2026-11-16T20:00:00Z');
/** how long the day takes on a terminal */
const PLAY_MS = 9000;

export interface DemoOptions {
  readonly fast?: boolean;
  readonly json?: boolean;
  readonly live?: boolean;
}

interface DayRecord {
  readonly at: EpochMs;
  readonly input: EmbeddedInput;
}

/** The bundled day: its lines carry the instant at which the log took them. */
const readDay = async (): Promise<DayRecord[]> => {
  const day: DayRecord[] = [];
  for await (const lines of readLines(RECORDS)) {
    for (const line of lines) {
      const value = line.form === 'text' ? parseJsonText(line.text) : null;
      if (!isJsonObject(value ?? undefined) || value === null)
        throw new TypeError(`line ${line.number} of the bundled day`);
      const { topic, timestamp, value: record } = value as { topic: string; timestamp: number; value: never };
      const known = inputTopicOf(topic);
      if (known === null) throw new TypeError(`line ${line.number} of the bundled day has topic ${topic}`);
      day.push({ at: timestamp, input: { topic: known, value: printJson(record) } });
    }
  }
  return day;
};

const STANDING: readonly VerdictName[] = ['VERIFIED', 'PENDING', 'FAILED', 'UNVERIFIABLE', 'CONTRADICTED'];

/** The quiet ones first: what needs a person stands last, next to the prompt. */
const byUrgency = (a: VerdictRecord, b: VerdictRecord): number =>
  STANDING.indexOf(a.verdict) - STANDING.indexOf(b.verdict) || (a.operation_id < b.operation_id ? -1 : 1);

const lookFurther = (verdicts: readonly VerdictRecord[]): string => {
  const shown = verdicts.findLast((verdict) => verdict.class === 'duplicate_side_effect') ?? verdicts.at(-1);
  const here = (path: string): string => relative(process.cwd(), path);
  const path = here(process.argv[1] ?? 'countersign');
  const program = path.includes('/') ? path : `./${path}`;
  const files = `${here(RECORDS)} --config ${here(SECRETS)}`;
  return [
    pc.bold('To look further'),
    `  ${program} explain ${shown?.operation_id ?? ''} ${files}`,
    `  ${program} replay ${files} --until 2026-11-30T00:00:00Z`,
    `  ${program} replay ${files} --json`,
  ].join('\n');
};

const statesOf = async (
  pipeline: EmbeddedPipeline,
  verdicts: readonly VerdictRecord[],
): Promise<Map<string, PaymentState | null>> => {
  const states = new Map<string, PaymentState | null>();
  for (const { payment_key: key } of verdicts) states.set(key, await pipeline.stateOf(key));
  return states;
};

const play = async (
  pipeline: EmbeddedPipeline,
  day: readonly DayRecord[],
  clock: { ms: EpochMs },
  view: LiveView,
  pauseMs: number,
): Promise<void> => {
  for (const [index, { at, input }] of day.entries()) {
    clock.ms = at;
    await pipeline.tick();
    await pipeline.append([input]);
    view.draw(index + 1, day.length);
    if (pauseMs > 0) await delay(pauseMs);
  }
  clock.ms = EVENING;
  await pipeline.tick();
  view.draw(day.length, day.length);
};

/** Plays the bundled day through the embedded pipeline. Answers with the exit code. */
export const demo = async (options: DemoOptions): Promise<ExitCode> => {
  const output = new ChunkedOutput(process.stdout);
  const isLive = process.stdout.isTTY === true && options.json !== true;
  const view = isLive
    ? terminalView(process.stdout)
    : plainView(options.json === true ? () => undefined : (line) => output.line(line));
  const day = await readDay();
  const folder = await mkdtemp(join(tmpdir(), 'countersign-demo-'));
  const clock = { ms: day[0]?.at ?? 0 };
  const deadLetters = new Map<string, number>();
  try {
    const deps = createBatchDeps({ config: SECRETS });
    const pipeline = await EmbeddedPipeline.open({
      deps,
      clock: { now: () => clock.ms },
      journal: join(folder, 'journal'),
      onWarning: (message) => process.stderr.write(`${message}\n`),
      onVerdict: ({ verdict }) => {
        if (options.json === true) output.line(printJson(verdict as never));
        view.verdict(verdict);
      },
      onDeadLetter: ({ code, reason }) => {
        deadLetters.set(code, (deadLetters.get(code) ?? 0) + 1);
        view.deadLetter(code, reason);
      },
    });
    await play(pipeline, day, clock, view, isLive && options.fast !== true ? PLAY_MS / day.length : 0);
    view.end();
    const verdicts = [...pipeline.operations.list()].map(({ last }) => last).sort(byUrgency);
    if (options.json !== true) {
      const states = await statesOf(pipeline, verdicts);
      const stateOf = (key: string): PaymentState | null => states.get(key) ?? null;
      const rows = [...presentRows(verdicts.map(verdictRow), { stateOf, now: EVENING }, deps.contracts)];
      for (const row of printVerdictTable(rows, process.stdout.columns ?? 120)) output.line(row);
      const totals = { lines: day.length, operations: rows.length, verdicts: countVerdicts(rows), deadLetters };
      output.line(`\n${printSummary({ ...totals, until: new Date(EVENING).toISOString() })}`);
      output.line(`\n${lookFurther(verdicts)}`);
    }
    await pipeline.close();
    await output.flush();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return EXIT.ok;
};

/** `countersign demo` */
export const registerDemo = (program: Command, finish: (code: ExitCode) => void): void => {
  program
    .command('demo')
    .summary('play a bundled day of refunds')
    .description(
      'Play a bundled day of refunds at four shops (PayPal, Square, Shopify, Stripe) through the embedded pipeline, with really\n' +
        'signed webhooks: settled, pending, partial, doubled, wrong amount, late webhook, lost response, forged event, outage.',
    )
    .addOption(new Option('--live', 'instead: run everything against a sandbox of the four providers, for ten seconds'))
    .addOption(new Option('--fast', 'do not wait between records').conflicts('live'))
    .addOption(new Option('--json', 'print every verdict revision as a JSON line, and nothing else'))
    .addHelpText(
      'after',
      '\nExamples:\n  countersign demo\n  countersign demo --fast\n  countersign demo --json | head -1\n  countersign demo --live\n',
    )
    .addHelpText(
      'after',
      exitCodesHelp({
        [EXIT.ok]: 'the day was played; or each operation had the verdict that it must have',
        [EXIT.failed]: 'something outside failed; or a verdict was another',
      }),
    )
    .action(async (options: DemoOptions) => {
      if (options.live !== true) return finish(await demo(options));
      const { liveDemo } = await import('./live-demo/live-demo.ts');
      return finish(await liveDemo(options));
    });
};
