import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import kafkajs, { type Kafka } from 'kafkajs';
import { generateRecords } from '../load/generate-records.ts';
import type { LoadRecord } from '../load/story.ts';
import type { Servers } from './servers.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const PROGRAM = process.env['COUNTERSIGN_BENCH_BIN'] ?? join(ROOT, 'bin', 'countersign');

/** Topics, group and keys that no other run has, on the servers of the run. */
export interface Deployment {
  readonly prefix: string;
  readonly env: Readonly<Record<string, string>>;
  readonly kafka: Kafka;
  /** Produces realistic records that began twelve hours ago; answers with how many there were, and of how many operations. */
  produce(records: number, seed: number): Promise<{ records: number; operations: number }>;
  close(): Promise<void>;
}

const BATCH = 500;
const TOPICS = ['operation-started', 'webhook-received', 'readback-result'] as const;

/** A busy broker may not know of a topic yet that it has just made; what exists is left as it is, so once more does no harm. */
const createTopics = (env: Record<string, string>): void => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      execFileSync(process.execPath, [PROGRAM, 'topics', 'create'], { env, stdio: 'ignore' });
      return;
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
};

export const messageOf = ({ key, at, value }: LoadRecord): kafkajs.Message => ({ key, value, timestamp: String(at) });

export const deploy = async ({ env: servers }: Servers, partitions: number): Promise<Deployment> => {
  const prefix = `bench-${randomBytes(4).toString('hex')}-`;
  const env = {
    ...(process.env as Record<string, string>),
    ...servers,
    COUNTERSIGN_TOPIC_PREFIX: prefix,
    COUNTERSIGN_GROUP: `${prefix}countersign`,
    COUNTERSIGN_REDIS_PREFIX: prefix,
    COUNTERSIGN_PARTITIONS: String(partitions),
    COUNTERSIGN_REPLICATION: '1',
    COUNTERSIGN_HTTP_PORT: '0',
  };
  const brokers = (env as Record<string, string>)['COUNTERSIGN_BROKERS'];
  if (brokers === undefined) throw new Error('no brokers: COUNTERSIGN_BROKERS should name them');
  createTopics(env);
  const kafka = new kafkajs.Kafka({ brokers: brokers.split(','), clientId: 'bench', logLevel: kafkajs.logLevel.ERROR });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  return {
    prefix,
    env,
    kafka,
    async produce(records, seed) {
      let operations = 0;
      let produced = 0;
      let batch: LoadRecord[] = [];
      const flush = async (): Promise<void> => {
        const topicMessages = TOPICS.map((topic) => ({
          topic: prefix + topic,
          messages: batch.filter((record) => record.topic === topic).map(messageOf),
        }));
        await producer.sendBatch({ topicMessages });
        produced += batch.length;
        batch = [];
      };
      for (const record of generateRecords({ records, seed, start: Date.now() - 12 * 3_600_000, spacingMs: 20 })) {
        if (record.value.startsWith('{"kind":"operation.started"')) operations += 1;
        batch.push(record);
        if (batch.length >= BATCH) await flush();
      }
      await flush();
      return { records: produced, operations };
    },
    async close() {
      await producer.disconnect();
      const admin = kafka.admin();
      await admin.connect();
      const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
      await admin.deleteTopics({ topics });
      await admin.disconnect();
    },
  };
};
