import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { secretsOf } from '../../config/secrets.ts';
import { loadContracts } from '../../contracts/load.ts';
import { connectKafka } from '../../drivers/kafka/connect.ts';
import { checkSchemas, registerSchemas } from '../../drivers/kafka/registry.ts';
import { inputRetentionMs, type TopicSpec, topicSpecs } from '../../drivers/kafka/topic-specs.ts';
import { checkTopics, createTopics } from '../../drivers/kafka/topics.ts';
import { createLogger } from '../../observability/logger.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

export interface TopicsOptions {
  readonly config?: string;
  readonly json?: boolean;
}

/** One thing that is not as it should be. */
interface Finding {
  readonly what: string;
  readonly is: string;
  readonly shouldBe: string;
}

const specsOf = (config: Config): TopicSpec[] =>
  topicSpecs({
    prefix: config.kafka.topic_prefix,
    partitions: config.kafka.partitions,
    replication: config.kafka.replication,
    retentionMs: inputRetentionMs(loadContracts(config.contracts).all.map(({ contract }) => contract)),
    ...(config.receipts.keys === undefined ? {} : { receiptsRetentionMs: config.receipts.retention_ms }),
  });

const registryOf = ({ registry }: Config) => (registry.url === undefined ? null : { ...registry, url: registry.url });

const withAdmin = async <T>(
  config: Config,
  run: (admin: ReturnType<ReturnType<typeof connectKafka>['admin']>) => Promise<T>,
) => {
  const logger = createLogger({ level: 'silent', secrets: secretsOf(config), role: 'topics' });
  const admin = connectKafka(config.kafka, logger).admin();
  await admin.connect();
  try {
    return await run(admin);
  } finally {
    await admin.disconnect();
  }
};

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const findings = async (config: Config): Promise<Finding[]> => {
  const topics = await withAdmin(config, (admin) => checkTopics(admin, specsOf(config)));
  const registry = registryOf(config);
  const schemas = registry === null ? [] : await checkSchemas(registry, config.kafka.topic_prefix);
  return [
    ...topics.map(({ topic, what, is, shouldBe }) => ({ what: `${topic}: ${what}`, is, shouldBe })),
    ...schemas.map(({ subject, problem, detail }) => ({ what: `schema ${subject}`, is: problem, shouldBe: detail })),
  ];
};

/** Holds topics and schemas against what they should be. Answers with the exit code. */
export const checkTopicsCommand = async (options: TopicsOptions): Promise<ExitCode> => {
  const { config } = loadConfig({ file: options.config, needs: ['kafka.brokers'] });
  const found = await findings(config);
  if (options.json === true) print(JSON.stringify({ ok: found.length === 0, differences: found }));
  else if (found.length === 0) print('All topics and schemas are as they should be.');
  else {
    for (const { what, is, shouldBe } of found) print(`${what} is ${is}, should be ${shouldBe}`);
    print('`countersign topics create` makes the topics and registers the schemas that are missing.');
  }
  return found.length === 0 ? EXIT.ok : EXIT.failed;
};

/** Creates the topics that are missing and registers the schemas. Answers with the exit code. */
export const createTopicsCommand = async (options: TopicsOptions): Promise<ExitCode> => {
  const { config } = loadConfig({ file: options.config, needs: ['kafka.brokers'] });
  const made = await withAdmin(config, (admin) => createTopics(admin, specsOf(config)));
  const registry = registryOf(config);
  const schemas = registry === null ? null : await registerSchemas(registry, config.kafka.topic_prefix);
  const differences = await findings(config);
  if (options.json === true) {
    print(JSON.stringify({ ...made, schemas, differences }));
  } else {
    for (const topic of made.created) print(`created ${topic}`);
    for (const topic of made.existing) print(`${topic} was there already`);
    if (made.created.length > 0 && made.replication < config.kafka.replication) {
      print(`with ${made.replication} instead of ${config.kafka.replication} copies: the cluster has no more brokers`);
    }
    if (schemas !== null) print(`registered the schemas of ${Object.keys(schemas).join(', ')}`);
    for (const { what, is, shouldBe } of differences) print(`${what} is ${is}, should be ${shouldBe}`);
  }
  return differences.length === 0 ? EXIT.ok : EXIT.failed;
};
