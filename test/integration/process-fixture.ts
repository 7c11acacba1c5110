import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import kafkajs, { type Admin, type Kafka, type Message } from 'kafkajs';
import { createAdmission } from '../../src/consumers/admit.ts';
import { decodeRecords } from '../../src/consumers/decode-records.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import { connectKafka } from '../../src/drivers/kafka/connect.ts';
import { createPartitionReader, type PartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import { topicSpecs } from '../../src/drivers/kafka/topic-specs.ts';
import { createTopics } from '../../src/drivers/kafka/topics.ts';
import { SEQUENCE_HEADER } from '../../src/drivers/kafka/verdict-messages.ts';
import { ReplayEngine } from '../../src/drivers/memory/replay-engine.ts';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import { reducePayment, type VerdictRecord } from '../../src/evaluator/index.ts';
import { createSealCheck } from '../../src/records/seal.ts';
import { prefixedTopic, VERDICTS_TOPIC } from '../../src/records/topics.ts';
import { deleteTopicsUnder, readAll, silent, testSettings } from './kafka-fixture.ts';
import { deletePrefix, redisSettings } from './redis-store.ts';
import { asConsumed, INPUT_TOPICS, type LogEntry } from './refund-log.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );

/** The build where it is newer than every source (it starts several times faster), else the sources themselves. */
const commandLine = (): readonly string[] => {
  const built = join(ROOT, 'dist', 'main.js');
  const isFresh = existsSync(built) && statSync(built).mtimeMs > newest(join(ROOT, 'src'));
  if (isFresh) return [join(ROOT, 'bin', 'countersign')];
  return ['--import', 'tsx', fileURLToPath(new URL('../support/cli-entry.ts', import.meta.url))];
};

const CLI = commandLine();

/** A verdict as it stands in the log. */
export interface PublishedRecord {
  readonly partition: number;
  readonly sequence: number;
  readonly verdict: VerdictRecord;
}

/** A `countersign process` of its own. */
export interface RunningProcess {
  readonly child: ChildProcess;
  /** every line it logged so far */
  readonly lines: string[];
  /** where health and metrics answer */
  readonly address: Promise<string>;
  /** resolves with the exit code or the signal that ended it */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves at the first line, past or future, that holds `text`. */
  logged(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface Deployment {
  readonly prefix: string;
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly reader: PartitionReader;
  readonly env: Readonly<Record<string, string>>;
  topic(name: (typeof INPUT_TOPICS)[number] | 'verdicts' | 'dead-letter'): string;
  produce(log: readonly LogEntry[]): Promise<void>;
  start(env?: Readonly<Record<string, string>>): RunningProcess;
  verdicts(): Promise<PublishedRecord[]>;
  close(): Promise<void>;
}

const PARTITIONS = 4;

const messageOf = ({ key, value, at }: LogEntry): Message => ({ key, value, timestamp: String(at) });

const startProcess = (env: Readonly<Record<string, string>>): RunningProcess => {
  const child = spawn(process.execPath, [...CLI, 'process', '--trust-gateway'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  const hear = (line: string): void => {
    lines.push(line);
    for (const { resolve } of waiting.filter(({ text }) => line.includes(text))) resolve();
    waiting = waiting.filter(({ text }) => !line.includes(text));
  };
  if (child.stdout !== null) createInterface(child.stdout).on('line', hear);
  if (child.stderr !== null) createInterface(child.stderr).on('line', hear);
  const logged = (text: string): Promise<void> =>
    lines.some((line) => line.includes(text))
      ? Promise.resolve()
      : new Promise((resolve) => waiting.push({ text, resolve }));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? -1));
  });
  const address = logged('health and metrics').then(() => {
    const line = lines.find((each) => each.includes('health and metrics')) ?? '{}';
    return (JSON.parse(line) as { address: string }).address;
  });
  return { child, lines, address, ended, logged, kill: (signal) => void child.kill(signal) };
};

const DEATH_MS = 60_000;

/** Waits until the process has died at its injected fault; one that does not tells what it is at. */
export const diesOf = async (process: RunningProcess, fault: string): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), DEATH_MS);
  });
  const how = await Promise.race([process.ended, late]);
  clearTimeout(timer);
  if (how === 'SIGKILL') return;
  const health =
    how === 'late' ? await fetch(`${await process.address}/readyz`).then((response) => response.text()) : '';
  throw new Error(`did not die at ${fault}, but: ${how}\n${health}\n${process.lines.slice(1).join('\n')}`);
};

/** Topics, a Redis prefix and a group that no other test has. `env` changes the settings of its processes. */
export const deploy = async (env: Readonly<Record<string, string>> = {}): Promise<Deployment> => {
  const prefix = `t${randomBytes(5).toString('hex')}.`;
  const settings = { ...testSettings(), topic_prefix: prefix };
  const brokers = env['COUNTERSIGN_BROKERS'];
  const kafka = connectKafka(brokers === undefined ? settings : { ...settings, brokers: brokers.split(',') }, silent);
  const admin = kafka.admin();
  await admin.connect();
  const reader = createPartitionReader(kafka);
  const plan = { prefix, partitions: PARTITIONS, replication: 1, retentionMs: 60 * 86_400_000 };
  const isSealing = env['COUNTERSIGN_RECEIPTS_KEYS'] !== undefined;
  await createTopics(admin, topicSpecs(isSealing ? { ...plan, receiptsRetentionMs: -1 } : plan));
  const redisUrl = env['COUNTERSIGN_REDIS_URL'] ?? process.env['COUNTERSIGN_REDIS_URL'];
  const redisPrefix = `${prefix}state`;
  const processEnv = {
    COUNTERSIGN_TOPIC_PREFIX: prefix,
    COUNTERSIGN_GROUP: `${prefix}group`,
    COUNTERSIGN_REDIS_PREFIX: redisPrefix,
    COUNTERSIGN_PARTITIONS: String(PARTITIONS),
    COUNTERSIGN_HTTP_PORT: '0',
    COUNTERSIGN_SESSION_TIMEOUT_MS: '1000',
    COUNTERSIGN_HEARTBEAT_INTERVAL_MS: '200',
    COUNTERSIGN_REBALANCE_TIMEOUT_MS: '5000',
    COUNTERSIGN_DUE_CHECK_MS: '100',
    COUNTERSIGN_BACKOFF_MIN_MS: '50',
    COUNTERSIGN_BACKOFF_MAX_MS: '500',
    // JSON, unless a test asks for Avro.
    COUNTERSIGN_REGISTRY_URL: '',
    ...env,
  };
  const running: RunningProcess[] = [];
  const verdictsTopic = prefixedTopic(prefix, VERDICTS_TOPIC);
  return {
    prefix,
    kafka,
    admin,
    reader,
    env: processEnv,
    topic: (name) => prefixedTopic(prefix, name),
    produce: async (log) => {
      const producer = kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      });
      await producer.connect();
      for (let from = 0; from < log.length; from += 2_000) {
        const part = log.slice(from, from + 2_000);
        await producer.sendBatch({
          acks: -1,
          topicMessages: INPUT_TOPICS.map((topic) => ({
            topic: prefixedTopic(prefix, topic),
            messages: part.filter((entry) => entry.topic === topic).map(messageOf),
          })).filter(({ messages }) => messages.length > 0),
        });
      }
      await producer.disconnect();
    },
    start: (more = {}) => {
      const started = startProcess({ ...processEnv, ...more });
      running.push(started);
      return started;
    },
    verdicts: async () => {
      const found: PublishedRecord[] = [];
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        for (const record of await readAll(reader, verdictsTopic, partition)) {
          const verdict = JSON.parse(Buffer.from(record.value ?? '').toString()) as VerdictRecord;
          found.push({ partition, sequence: Number(record.headers[SEQUENCE_HEADER]), verdict });
        }
      }
      return found;
    },
    close: async () => {
      for (const { child, ended } of running) {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
        await ended;
      }
      const leaks = running.flatMap(({ lines }) => lines.filter((line) => line.includes('something was left open')));
      await deleteTopicsUnder(admin, prefix);
      await reader.close();
      await admin.disconnect();
      const redis = createRedis(redisSettings({ url: redisUrl }));
      await deletePrefix(redis, redisPrefix).catch(() => undefined);
      await redis.close();
      if (leaks.length > 0) throw new Error(`a process had to be ended after it had stopped:\n${leaks.join('\n')}`);
    },
  };
};

/** Operation → what `replay` of the same records says last, at `until`. */
export const replayed = async (log: readonly LogEntry[], until: number): Promise<Map<string, string>> => {
  const contracts = loadContracts();
  const admission = createAdmission({ contracts, endpoints: [], trustGateway: true, testMode: false });
  const engine = new ReplayEngine({ contracts, admission, reduce: reducePayment });
  const records = await decodeRecords(asConsumed(log, '', PARTITIONS), {
    schemas: null,
    maxBytes: 1 << 20,
    checkSeal: createSealCheck('off', []),
  });
  const last = new Map<string, string>();
  const take = (verdicts: readonly VerdictRecord[]): void => {
    for (const verdict of verdicts) last.set(verdict.operation_id, judgement(verdict));
  };
  for (let from = 0; from < records.length; from += 1_000)
    take(engine.apply(records.slice(from, from + 1_000)).verdicts);
  for (const step of engine.advance(until)) take(step.verdicts);
  return last;
};

export const judgement = ({ verdict, class: kind, reason }: VerdictRecord): string => `${verdict} ${kind} ${reason}`;

/** Operation → what was published last. */
export const lastJudgements = (published: readonly PublishedRecord[]): Map<string, string> =>
  new Map(published.map(({ verdict }) => [verdict.operation_id, judgement(verdict)]));

/** What is wrong with the revisions: none may be missing, doubled or out of order, nor may a partition's sequence numbers. */
export const faultsOf = (published: readonly PublishedRecord[]): string[] => {
  const faults: string[] = [];
  const revisions = new Map<string, number>();
  const sequences = new Map<number, number>();
  for (const { partition, sequence, verdict } of published) {
    const before = revisions.get(verdict.verdict_id.replace(/:\d+$/, '')) ?? 0;
    if (verdict.revision !== before + 1) faults.push(`${verdict.verdict_id} follows revision ${before}`);
    revisions.set(verdict.verdict_id.replace(/:\d+$/, ''), verdict.revision);
    const last = sequences.get(partition) ?? 0;
    if (sequence <= last) faults.push(`partition ${partition} has sequence ${sequence} after ${last}`);
    sequences.set(partition, sequence);
  }
  return faults;
};
