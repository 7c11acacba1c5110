import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import type { PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import { openRedrive, originalValue, type Redrive } from '../../drivers/kafka/redrive.ts';
import { type DeadLetter, readDeadLetter, readDeadLetters } from '../../drivers/kafka/redriven.ts';
import { partitionCounts } from '../../drivers/kafka/topics.ts';
import { createSealCheck } from '../../records/seal.ts';
import { DEAD_LETTER_TOPIC, INPUT_TOPICS, prefixedTopic } from '../../records/topics.ts';
import { type DeadLetterFilter, isMeant } from '../dead-letter/filter.ts';
import { readLetterFile } from '../dead-letter/letter-file.ts';
import { planRedrive, type RedrivePlan } from '../dead-letter/plan.ts';
import { type LetterHead, printLetter, printLetterRow, printPlan } from '../dead-letter/print.ts';
import { viewValue } from '../dead-letter/value-view.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ChunkedOutput } from '../output.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { UsageError } from '../report-error.ts';
import { dataFolder } from '../serve/data-folder.ts';
import type { KafkaEdge } from './kafka-edge.ts';
import { withKafka } from './with-kafka.ts';

export interface DeadLetterCommandOptions extends Omit<DeadLetterFilter, 'ids'> {
  readonly config?: string;
  /** the data folder of `countersign serve`, instead of Kafka */
  readonly data?: string;
  readonly json?: boolean;
}

export interface DeadLetterListOptions extends DeadLetterCommandOptions {
  readonly limit: number;
}

export interface RedriveCommandOptions extends DeadLetterCommandOptions {
  readonly trustGateway?: boolean;
  readonly yes?: boolean;
  readonly all?: boolean;
  readonly refused?: boolean;
}

/** Letters that one transaction's plan is made of. */
const PAGE = 200;

const topicOf = (config: Config): string => prefixedTopic(config.kafka.topic_prefix, DEAD_LETTER_TOPIC);

/** What is told of a letter in a list: without its bytes. */
const headOf = (letter: DeadLetter): LetterHead => ({
  id: letter.id,
  at: new Date(letter.at.timestamp).toISOString(),
  code: letter.code,
  reason: letter.reason,
  topic: letter.record.topic,
  partition: letter.record.partition,
  offset: letter.record.offset,
  key: letter.record.key === null ? null : Buffer.from(letter.record.key).toString('utf8'),
  redriven: letter.isRedriven,
});

async function* headsOfTopic(reader: PartitionReader, topic: string): AsyncGenerator<LetterHead> {
  for await (const letter of readDeadLetters(reader, topic)) yield headOf(letter);
}

async function* headsOfFolder(data: string): AsyncGenerator<LetterHead> {
  for await (const { head } of readLetterFile(dataFolder(data))) yield head;
}

const list = async (heads: AsyncIterable<LetterHead>, options: DeadLetterListOptions): Promise<ExitCode> => {
  const found: LetterHead[] = [];
  let more = 0;
  for await (const head of heads) {
    if (!isMeant(head, options)) continue;
    if (found.length < options.limit) found.push(head);
    else more += 1;
  }
  found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const output = new ChunkedOutput(process.stdout);
  if (options.json === true) for (const head of found) output.line(JSON.stringify(head));
  else if (found.length === 0) output.line('No dead letters.');
  else for (const line of printLetterRow(found, process.stdout.columns ?? 100)) output.line(line);
  if (more > 0 && options.json !== true) output.line(`\nand ${more} more; --limit shows more of them`);
  await output.flush();
  return EXIT.ok;
};

/** Lists what was set aside, oldest first. Answers with the exit code. */
export const listDeadLetters = async (options: DeadLetterListOptions): Promise<ExitCode> => {
  if (options.data !== undefined) return list(headsOfFolder(options.data), options);
  const { config } = loadConfig({ file: options.config, needs: ['kafka.brokers'] });
  return withKafka(config, ({ reader }) => list(headsOfTopic(reader, topicOf(config)), options));
};

const noLetter = (id: string, form: string): UsageError =>
  new UsageError(`no dead letter ${id}; \`dead-letter list\` names them, ${form}`);

const showFiled = async (id: string, data: string, isJson: boolean): Promise<ExitCode> => {
  for await (const { head, value } of readLetterFile(dataFolder(data))) {
    if (head.id !== id) continue;
    const shown = { ...head, headers: {}, value: await viewValue(value, null) };
    process.stdout.write(`${isJson ? JSON.stringify(shown) : printLetter(shown)}\n`);
    return EXIT.ok;
  }
  throw noLetter(id, 'by the line of the file that they stand on');
};

/** Shows one letter whole. Answers with the exit code. */
export const showDeadLetter = async (id: string, options: DeadLetterCommandOptions): Promise<ExitCode> => {
  if (options.data !== undefined) return showFiled(id, options.data, options.json === true);
  const { config } = loadConfig({ file: options.config, needs: ['kafka.brokers'] });
  return withKafka(config, async ({ reader, schemas }) => {
    const letter = await readDeadLetter(reader, topicOf(config), id);
    if (letter === null) throw noLetter(id, 'as <partition>:<offset>');
    const original = await originalValue(reader, letter);
    const value = await viewValue(original?.value ?? null, schemas);
    const shown = { ...headOf(letter), headers: letter.record.headers, value };
    process.stdout.write(`${options.json === true ? JSON.stringify(shown) : printLetter(shown)}\n`);
    return EXIT.ok;
  });
};

interface Tally {
  sent: number;
  planned: number;
  refused: number;
  lost: number;
}

const takesPlan = ({ fate, redriven }: RedrivePlan, options: RedriveCommandOptions): boolean =>
  redriven !== null && (fate === 'send' || options.refused === true);

const plansOf = async function* (
  edge: KafkaEdge,
  config: Config,
  ids: readonly string[],
  options: RedriveCommandOptions,
): AsyncGenerator<RedrivePlan[]> {
  const inputs = INPUT_TOPICS.map((topic) => prefixedTopic(config.kafka.topic_prefix, topic));
  const deps = {
    reader: edge.reader,
    batch: createConfiguredBatchDeps(config, options),
    decode: {
      schemas: edge.schemas,
      maxBytes: config.limits.record_bytes,
      checkSeal: createSealCheck(config.seals.mode, config.seals.keys),
    },
    partitions: await partitionCounts(edge.admin, inputs),
  };
  let page: RedrivePlan[] = [];
  for await (const letter of readDeadLetters(edge.reader, topicOf(config))) {
    if (!isMeant(headOf(letter), { ...options, ids, redriven: false })) continue;
    page.push(await planRedrive(deps, letter));
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
};

const tell = (output: ChunkedOutput, plan: RedrivePlan, isSent: boolean, options: RedriveCommandOptions): void => {
  const { fate, detail, letter, redriven } = plan;
  if (options.json === true)
    output.line(JSON.stringify({ ...headOf(letter), fate, detail, to: redriven?.partition ?? null, sent: isSent }));
  else output.line(printPlan(plan, isSent, options.yes === true));
};

/** Says what would become of the letters, and with `yes` sends them again, each once. Answers with the exit code. */
export const redriveDeadLetters = async (ids: readonly string[], options: RedriveCommandOptions): Promise<ExitCode> => {
  if (options.data !== undefined)
    throw new UsageError(
      'the embedded mode has no topic to send a letter to: take its value from `dead-letter show --json` and post it to /v1/records',
    );
  if (
    ids.length === 0 &&
    options.all !== true &&
    [options.code, options.topic, options.since].every((one) => one === undefined)
  )
    throw new UsageError('name the letters to send again: ids, --code, --topic or --since; or --all');
  const { config } = loadConfig({ file: options.config, needs: ['kafka.brokers'] });
  return withKafka(config, async (edge) => {
    const output = new ChunkedOutput(process.stdout);
    const tally: Tally = { sent: 0, planned: 0, refused: 0, lost: 0 };
    const transactionalId = `${config.kafka.group}-redrive`;
    const shared = { kafka: edge.publishing, reader: edge.reader, topic: topicOf(config), transactionalId };
    const redrive: Redrive | null = options.yes === true ? await openRedrive(shared) : null;
    try {
      for await (const page of plansOf(edge, config, ids, options)) {
        const taken = page.filter((plan) => takesPlan(plan, options));
        const sent = new Set(await redrive?.send(taken.flatMap(({ redriven }) => redriven ?? [])));
        for (const plan of page) {
          if (takesPlan(plan, options)) tally.planned += 1;
          else tally[plan.fate === 'lost' ? 'lost' : 'refused'] += 1;
          if (sent.has(plan.letter.id)) tally.sent += 1;
          tell(output, plan, sent.has(plan.letter.id), options);
        }
        await output.settle();
      }
    } finally {
      await redrive?.close();
    }
    if (options.json !== true) output.line(sum(tally, options.yes === true));
    await output.flush();
    return tally.lost + tally.refused > 0 ? EXIT.deadLetters : EXIT.ok;
  });
};

const sum = ({ sent, planned, refused, lost }: Tally, isDone: boolean): string => {
  const kept = [
    ...(refused === 0 ? [] : [`${refused} would come back and stay (--refused sends them all the same)`]),
    ...(lost === 0 ? [] : [`${lost} cannot be sent`]),
  ];
  const head = isDone ? `${sent} sent again` : `${planned} would be sent again; --yes sends them`;
  return `\n${[head, ...kept].join('; ')}.`;
};
