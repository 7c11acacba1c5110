import { type Command, Option } from 'commander';
import { checkInputFiles, STANDARD_INPUT } from '../drivers/files/input-file.ts';
import { readLogFiles } from '../drivers/files/log-file.ts';
import { ReplayEngine, type ReplayStep } from '../drivers/memory/replay-engine.ts';
import { printInstant } from '../evaluator/instant.ts';
import { printJson } from '../records/json-text.ts';
import { openDeadLetterLog } from './dead-letter-log.ts';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { parseInstantOption } from './instant-option.ts';
import { ChunkedOutput } from './output.ts';
import { addPipelineOptions, createBatchDeps, type PipelineOptions } from './pipeline-options.ts';
import { presentRows } from './present-rows.ts';
import { startProgress } from './progress.ts';
import { printSummary } from './replay-summary.ts';
import { UsageError } from './report-error.ts';
import { VerdictRows } from './verdict-rows.ts';
import { printVerdictTable } from './verdict-table.ts';

export interface ReplayOptions extends PipelineOptions {
  /** milliseconds since the epoch */
  readonly until?: number;
  readonly json?: boolean;
  readonly deadLetter?: string;
}

/** Replays log files and prints verdicts to stdout. Answers with the exit code. */
export const replay = async (files: readonly string[], options: ReplayOptions): Promise<ExitCode> => {
  if (files.filter((file) => file === STANDARD_INPUT).length > 1) throw new UsageError('- can be given once');
  await checkInputFiles(files);
  const deps = createBatchDeps(options);
  const engine = new ReplayEngine(deps);
  const deadLetters = openDeadLetterLog(options.deadLetter ?? null, files);
  const output = new ChunkedOutput(process.stdout);
  const progress = startProgress(files);
  const rows = new VerdictRows();
  let lines = 0;

  const take = ({ verdicts }: ReplayStep): Promise<void> => {
    for (const verdict of verdicts) {
      if (options.json === true) output.line(printJson(verdict as never));
      else rows.apply(verdict);
    }
    return output.settle();
  };

  try {
    for await (const batch of readLogFiles(files, progress.onBytes)) {
      const step = engine.apply(batch.map(({ decoded }) => decoded));
      for (const deadLetter of step.deadLetters) {
        const line = batch[deadLetter.index];
        if (line !== undefined) deadLetters.add(line, deadLetter);
      }
      lines += batch.length;
      progress.tell(`${lines.toLocaleString('en-US')} lines`);
      await take(step);
      if (output.isClosed) break;
    }
    if (options.until !== undefined && !output.isClosed) {
      for (const step of engine.advance(options.until)) {
        await take(step);
        if (output.isClosed) break;
      }
    }
    progress.stop();
    if (options.json !== true) {
      const present = presentRows(rows.list(), engine, deps.contracts);
      for (const row of printVerdictTable(present, process.stdout.columns ?? 120)) {
        output.line(row);
        await output.settle();
      }
      const until = engine.now === 0 ? null : printInstant(engine.now);
      const verdicts = rows.counts();
      if (rows.size > 0) output.line('');
      output.line(printSummary({ lines, operations: rows.size, verdicts, deadLetters: deadLetters.byCode, until }));
    }
    await output.flush();
  } finally {
    progress.stop();
    deadLetters.close();
  }
  return deadLetters.count > 0 ? EXIT.deadLetters : EXIT.ok;
};

const EXAMPLES = `
Examples:
  countersign replay day.jsonl.gz --config secrets.yaml
  countersign replay a.jsonl b.jsonl --trust-gateway --until 2026-10-01T00:00:00Z
  kcat -b … -t webhook-received … | countersign replay - --json --dead-letter bad.jsonl

Each line of a file is {"topic":"webhook-received","value":{…}}, optionally with "key" and "timestamp". Time is the
records' own and never goes back; --until moves it on at the end, so that windows and deadlines pass.
`;

/** `countersign replay FILE…` */
export const registerReplay = (program: Command, finish: (code: ExitCode) => void): void => {
  const command = program
    .command('replay')
    .summary('judge the refunds in log files')
    .description('Read record logs and print a verdict for every refund: what is proven, and why.')
    .argument('<file...>', 'JSON lines, plain or gzip; - is standard input')
    .addOption(new Option('--until <instant>', 'move time on to here at the end').argParser(parseInstantOption))
    .addOption(new Option('--json', 'print every verdict revision as a JSON line, in the order of publication'))
    .addOption(
      new Option('--dead-letter <file>', 'write bad lines here as JSON lines, emptied first (default: stderr)'),
    );
  addPipelineOptions(command)
    .addHelpText('after', EXAMPLES)
    .addHelpText(
      'after',
      exitCodesHelp({
        [EXIT.ok]: 'every line was a good record',
        [EXIT.failed]: 'a file could not be read to its end, or the output not written',
        [EXIT.usage]: 'the command line is wrong, a file is missing, or --dead-letter names an input',
        [EXIT.deadLetters]: 'done, and some lines went to dead-letter',
      }),
    )
    .action(async (files: string[], options: ReplayOptions) => finish(await replay(files, options)));
};
