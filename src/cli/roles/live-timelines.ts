import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { timelineOfState } from '../../console/state-timeline.ts';
import type { Timeline } from '../../console/timeline.ts';
import { loadContracts } from '../../contracts/load.ts';
import { verdictDecoder } from '../../drivers/kafka/verdict-codec.ts';
import { replayJournal } from '../../drivers/memory/read-journal.ts';
import { createRedis } from '../../drivers/redis/connect.ts';
import { RedisInspector } from '../../drivers/redis/inspect.ts';
import { RedisShardStore } from '../../drivers/redis/shard-store.ts';
import { OperatingError } from '../../errors.ts';
import { type PaymentState, paymentKey, type VerdictRecord } from '../../evaluator/index.ts';
import { isAuthorityKey } from '../../records/authority-key.ts';
import { parseState } from '../../records/parse-state.ts';
import { partitionOfKey } from '../../records/partition.ts';
import { prefixedTopic, VERDICTS_TOPIC } from '../../records/topics.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { UsageError } from '../report-error.ts';
import { asServed, dataFolder } from '../serve/data-folder.ts';
import { publishedOf, readingsOf } from './published-of.ts';
import { withKafka } from './with-kafka.ts';

export interface LiveOptions {
  readonly config?: string;
  readonly contracts?: string;
  readonly trustGateway?: boolean;
  /** the data folder of `countersign serve`, instead of Redis */
  readonly data?: string;
}

/** An operation's story, under its whole name. */
export interface NamedTimeline {
  readonly key: string;
  readonly timeline: Timeline;
}

interface Held {
  readonly shard: number;
  readonly state: PaymentState;
  readonly operationId: string;
}

/** The payments that have the operation: by its whole name at once, by its id alone by looking at all of them. */
const findHeld = async (store: RedisShardStore, partitions: number, named: string): Promise<Held[]> => {
  const found: Held[] = [];
  const take = (shard: number, key: string, value: string | null, operationId: string): void => {
    if (value === null) return;
    const state = parseState(key, value);
    if (state.operations[operationId] !== undefined) found.push({ shard, state, operationId });
  };
  for (const { paymentKey: key, operationId } of readingsOf(named)) {
    const shard = partitionOfKey(key, partitions);
    const [value = null] = await store.load(shard, [key]);
    take(shard, key, value, operationId);
  }
  if (found.length > 0) return found;
  const text = JSON.stringify(named);
  const seen = new Set<string>();
  for (let shard = 0; shard < partitions; shard += 1) {
    for await (const { paymentKey: key, value } of store.scan(shard)) {
      // Reading every state would take longer than looking for the id in its text.
      if (isAuthorityKey(key) || !value.includes(text) || seen.has(key)) continue;
      seen.add(key);
      take(shard, key, value, named);
    }
  }
  return found;
};

/** The revisions in full, where the topic can be read: the state remembers only what they came to. */
const published = async (config: Config, key: string): Promise<readonly VerdictRecord[]> => {
  if (config.kafka.brokers.length === 0) return [];
  const topic = prefixedTopic(config.kafka.topic_prefix, VERDICTS_TOPIC);
  try {
    return await withKafka(config, ({ reader, schemas }) => publishedOf(reader, topic, key, verdictDecoder(schemas)));
  } catch {
    return [];
  }
};

const fromRedis = async (
  named: string,
  config: Config,
  contractsPath: string | undefined,
): Promise<NamedTimeline[]> => {
  const contracts = loadContracts(contractsPath ?? config.contracts);
  const redis = createRedis(config.redis);
  try {
    const inspector = new RedisInspector(redis, config.redis.prefix);
    const partitions = await inspector.partitions();
    if (partitions === null)
      throw new OperatingError('CONFIG_INVALID', `there is no state under redis.prefix ${config.redis.prefix}`);
    const held = await findHeld(new RedisShardStore(redis, config.redis.prefix), partitions, named);
    const told: NamedTimeline[] = [];
    for (const { shard, state, operationId } of held) {
      const key = `${paymentKey(state)}/${operationId}`;
      const { streamTime } = await inspector.position(shard);
      const revisions = held.length === 1 ? await published(config, key) : [];
      const timeline = timelineOfState(contracts, state, operationId, streamTime, revisions);
      if (timeline !== null) told.push({ key, timeline });
    }
    return told;
  } finally {
    await redis.close();
  }
};

const fromJournal = async (
  named: string,
  config: Config,
  options: LiveOptions,
  data: string,
): Promise<NamedTimeline[]> => {
  const folder = dataFolder(data);
  const deps = createConfiguredBatchDeps(config, await asServed(folder, options));
  const pipeline = await replayJournal(deps, folder.journal);
  const exact = pipeline.operations.get(named);
  const views = exact === null ? [...pipeline.operations.list({ operationId: named })] : [exact];
  const told: NamedTimeline[] = [];
  for (const { key, last, revisions } of views) {
    const state = await pipeline.stateOf(last.payment_key);
    if (state === null) continue;
    const timeline = timelineOfState(deps.contracts, state, last.operation_id, pipeline.now, revisions);
    if (timeline !== null) told.push({ key, timeline });
  }
  return told;
};

/**
 * The stories of the live operations that `named` means, from Redis or a journal. Throws STATE_UNAVAILABLE, CONFIG_INVALID,
 * INPUT_UNREADABLE.
 */
export const liveTimelines = async (named: string, options: LiveOptions): Promise<NamedTimeline[]> => {
  const { config } = loadConfig({ file: options.config });
  if (options.data !== undefined) return fromJournal(named, config, options, options.data);
  if (config.redis.url === undefined) {
    throw new UsageError(
      'give the files of a record log, --data DIR of a `countersign serve`, or a configuration with redis.url (COUNTERSIGN_REDIS_URL)',
    );
  }
  return fromRedis(named, config, options.contracts);
};
