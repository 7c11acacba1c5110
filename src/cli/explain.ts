import { type Command, Option } from 'commander';
import type { Timeline } from '../console/timeline.ts';
import { TimelineBuilder } from '../console/timeline-builder.ts';
import { timelineJson } from '../console/timeline-json.ts';
import { admitOne } from '../consumers/admit-records.ts';
import type { BatchDeps } from '../consumers/batch-deps.ts';
import { isUndecodable } from '../consumers/decoded-record.ts';
import { InlineBindings } from '../consumers/inline-bindings.ts';
import { RecordClock } from '../consumers/record-clock.ts';
import { checkInputFiles } from '../drivers/files/input-file.ts';
import { type LogFileLine, readLogFiles } from '../drivers/files/log-file.ts';
import { type EpochMs, paymentKey } from '../evaluator/index.ts';
import { printJson } from '../records/json-text.ts';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { printTimeline } from './explain-text.ts';
import { type FoundOperation, findOperations } from './find-operation.ts';
import { parseInstantOption } from './instant-option.ts';
import { ChunkedOutput } from './output.ts';
import { addPipelineOptions, createBatchDeps, type PipelineOptions } from './pipeline-options.ts';
import { UsageError } from './report-error.ts';
import { withSpooledInput } from './spooled-input.ts';

export interface ExplainOptions extends PipelineOptions {
  /** milliseconds since the epoch */
  readonly until?: number;
  readonly json?: boolean;
  /** the data folder of `countersign serve` */
  readonly data?: string;
}

/** Whether a bad line is about the operation: it names it, or its payment. */
const mentions = ({ line }: LogFileLine, { operationId, ref }: FoundOperation): boolean => {
  if (line.form !== 'text') return false;
  // Shopify's webhooks name an order by the number at the end of its global id.
  const payment = ref.paymentId.slice(ref.paymentId.lastIndexOf('/') + 1);
  return line.text.includes(operationId) || (payment.length >= 6 && line.text.includes(payment));
};

const tell = async (
  deps: BatchDeps,
  files: readonly string[],
  found: FoundOperation,
  until: EpochMs | null,
): Promise<Timeline> => {
  const clock = new RecordClock();
  const builder = new TimelineBuilder(deps.contracts, deps.reduce, found.ref, found.operationId);
  const bindings = new InlineBindings();
  const key = paymentKey(found.ref);
  for await (const batch of readLogFiles(files)) {
    for (const read of batch) {
      const { decoded } = read;
      if (isUndecodable(decoded)) {
        if (mentions(read, found)) builder.deadLetter(decoded.source, clock.now, decoded.code, decoded.reason);
        continue;
      }
      const admitted = admitOne(deps, { bindings }, decoded, 0);
      const at = clock.reach(decoded, admitted.outcome === 'refused' ? admitted.code : null);
      if (admitted.outcome === 'refused') {
        if (mentions(read, found)) builder.deadLetter(decoded.source, at, admitted.code, admitted.reason);
        continue;
      }
      if (admitted.outcome !== 'admitted' || paymentKey(admitted.ref) !== key) continue;
      const { deadLetter } = admitted;
      if (deadLetter !== undefined) builder.deadLetter(decoded.source, at, deadLetter.code, deadLetter.reason);
      for (const observation of admitted.observations) builder.apply(observation, at);
    }
  }
  return builder.finish(until === null ? clock.now : clock.advance(until));
};

/** Tells one operation's story from log files. Answers with the exit code. */
export const explain = async (named: string, files: readonly string[], options: ExplainOptions): Promise<ExitCode> => {
  await checkInputFiles(files);
  const deps = createBatchDeps(options);
  return withSpooledInput(files, async (spooled) => {
    const found = await findOperations(deps, spooled, named);
    const [first, ...others] = found;
    if (first === undefined) {
      throw new UsageError(`no operation ${named} in ${files.join(', ')}; replay lists the operations they hold`);
    }
    if (others.length > 0) {
      const names = found.map(({ ref, operationId }) => `  ${paymentKey(ref)}/${operationId}`);
      throw new UsageError(`${named} is an operation of several payments; name one of\n${names.join('\n')}`);
    }
    await print(await tell(deps, spooled, first, options.until ?? null), options);
    return EXIT.ok;
  });
};

const print = async (timeline: Timeline, options: ExplainOptions): Promise<void> => {
  const output = new ChunkedOutput(process.stdout);
  output.line(
    options.json === true ? printJson(timelineJson(timeline)) : printTimeline(timeline, process.stdout.columns ?? 100),
  );
  await output.flush();
};

/** Tells one live operation's story, as far as its state keeps it. Answers with the exit code. */
export const explainLive = async (named: string, options: ExplainOptions): Promise<ExitCode> => {
  if (options.until !== undefined)
    throw new UsageError('--until is of record logs; the time of a live operation is what it is');
  // Loaded when it is needed: a log is explained without the clients of servers.
  const { liveTimelines } = await import('./roles/live-timelines.ts');
  const [first, ...others] = await liveTimelines(named, options);
  if (first === undefined) throw new UsageError(`no operation ${named} is held`);
  if (others.length > 0) {
    const names = [first, ...others].map(({ key }) => `  ${key}`);
    throw new UsageError(`${named} is an operation of several payments; name one of\n${names.join('\n')}`);
  }
  await print(first.timeline, options);
  return EXIT.ok;
};

const EXAMPLES = `
Examples:
  countersign explain op-1 day.jsonl.gz --config secrets.yaml
  countersign explain paypal:merchant-1:3C679366HH908993R/op-1 day.jsonl.gz --trust-gateway
  countersign explain op-1 day.jsonl --trust-gateway --until 2026-10-01T00:00:00Z --json
  countersign explain paypal:merchant-1:3C679366HH908993R/op-1 --config countersign.yaml
  countersign explain op-1 --data /var/lib/countersign

Without a file the live state is told of: of Redis (--config FILE is then the whole configuration, or the environment), or of the
journal of \`countersign serve\` (--data). By an operation id alone every payment in Redis is looked at.
`;

/** `countersign explain OPERATION [FILE…]` */
export const registerExplain = (program: Command, finish: (code: ExitCode) => void): void => {
  const command = program
    .command('explain')
    .summary("tell one operation's story")
    .description(
      "Tell one operation's story from record logs, or from the live state: each record about its payment, what it changed, each revision, every\n" +
        'condition with what was observed and expected, and what is awaited next.',
    )
    .argument('<operation>', 'operation id, or <payment key>/<operation id> where payments share one')
    .argument('[file...]', 'JSON lines, plain or gzip; - is standard input; none: the live state')
    .addOption(new Option('--data <dir>', 'without a file: the data folder of `countersign serve`'))
    .addOption(new Option('--until <instant>', 'move time on to here at the end').argParser(parseInstantOption))
    .addOption(new Option('--json', 'print the story as one JSON object'));
  addPipelineOptions(command)
    .addHelpText('after', EXAMPLES)
    .addHelpText(
      'after',
      exitCodesHelp({
        [EXIT.ok]: 'the story is told',
        [EXIT.failed]: 'a file could not be read to its end, or a server does not answer',
        [EXIT.usage]: 'the command line is wrong, a file is missing, or the operation is unknown or ambiguous',
      }),
    )
    .action(async (operation: string, files: string[], options: ExplainOptions) =>
      finish(files.length === 0 ? await explainLive(operation, options) : await explain(operation, files, options)),
    );
};
