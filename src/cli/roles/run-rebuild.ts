import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { partitionCounts } from '../../drivers/kafka/topics.ts';
import { verdictDecoder } from '../../drivers/kafka/verdict-codec.ts';
import { createRedis } from '../../drivers/redis/connect.ts';
import type { RedisConnection } from '../../drivers/redis/connection.ts';
import { RedisInspector } from '../../drivers/redis/inspect.ts';
import { type RebuildNote, RebuiltState } from '../../drivers/redis/rebuilt-state.ts';
import { RedisShardStore } from '../../drivers/redis/shard-store.ts';
import { createSealCheck } from '../../records/seal.ts';
import { HANDOFFS_TOPIC, INPUT_TOPICS, prefixedTopic, VERDICTS_TOPIC } from '../../records/topics.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { adoptPublished, settleExpiry } from '../rebuild/adopt.ts';
import { type Spans, StateBuild } from '../rebuild/build.ts';
import { compareShard, type PaymentDifference } from '../rebuild/compare.ts';
import { readDecidedHandoffs, withDecidedHandoffs } from '../rebuild/decided-handoffs.ts';
import { UsageError } from '../report-error.ts';
import { printable } from '../verdict-table.ts';
import type { KafkaEdge } from './kafka-edge.ts';
import { withKafka } from './with-kafka.ts';

export interface RebuildOptions {
  readonly config?: string;
  readonly trustGateway?: boolean;
  readonly into?: string;
  readonly partitions?: number;
  readonly forTopics?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** Everything that a rebuild works with. */
interface Rebuild {
  readonly config: Config;
  readonly edge: KafkaEdge;
  readonly redis: RedisConnection;
  readonly batch: BatchDeps;
  /** full names of the input topics, and how many partitions each has */
  readonly topics: readonly string[];
  readonly from: number;
  readonly say: (text: string) => void;
}

const countOf = async ({ admin }: KafkaEdge, topics: readonly string[]): Promise<number> => {
  const counts = await partitionCounts(admin, topics);
  const [count, ...others] = new Set(topics.map((topic) => counts.get(topic) ?? 0));
  if (count === undefined || count === 0 || others.length > 0) {
    const found = topics.map((topic) => `${topic} ${counts.get(topic) ?? 'missing'}`).join(', ');
    throw new UsageError(`the input topics must be there with one partition count; they are: ${found}`);
  }
  return count;
};

const openBuild = (rebuild: Rebuild, store: RedisShardStore, to: number): Promise<StateBuild> => {
  const { config, edge, batch, topics, from, say } = rebuild;
  let read = 0;
  let said = Date.now();
  return StateBuild.open({
    reader: edge.reader,
    batch,
    decode: {
      schemas: edge.schemas,
      maxBytes: config.limits.record_bytes,
      checkSeal: createSealCheck(config.seals.mode, config.seals.keys),
    },
    store,
    topics,
    from,
    to,
    onProgress: (partition, records) => {
      read += records;
      if (Date.now() - said < 5_000) return;
      said = Date.now();
      say(`${read} records read, in partition ${partition} of ${from}`);
    },
  });
};

/** A prefix that holds a state which no rebuild left is somebody's. */
const resumable = async (
  rebuilt: RebuiltState,
  inspector: RedisInspector,
  prefix: string,
): Promise<RebuildNote | null> => {
  const note = await rebuilt.note();
  if (note === null && (await inspector.partitions()) !== null)
    throw new UsageError(`Redis prefix ${prefix} holds a state already; choose another, or delete its keys`);
  return note;
};

const warnOfLoss = (topic: string, partition: number, low: bigint, say: Rebuild['say']): void => {
  if (low > 0n)
    say(`${topic}/${partition} begins at offset ${low}: what stood before is gone, and payments of then may differ`);
};

const sayDifference = ({ paymentKey, shard, differences }: PaymentDifference): string =>
  [
    `payment ${printable(paymentKey)} (shard ${shard})`,
    ...differences.map(
      ({ path, live, rebuilt }) =>
        `  ${path === '' ? 'the whole state' : path}: live ${printable(live ?? 'nothing')}, rebuilt ${printable(rebuilt ?? 'nothing')}`,
    ),
  ].join('\n');

/** Builds a state beside the live one, compares them payment by payment, and takes it away again. */
const compare = async (rebuild: Rebuild, options: RebuildOptions): Promise<ExitCode> => {
  const { config, edge, redis, batch, topics, from, say } = rebuild;
  const { prefix } = config.redis;
  const scratch = `${prefix}.rebuild`;
  const inspector = new RedisInspector(redis, prefix);
  const stored = await inspector.partitions();
  if (stored === null) throw new UsageError(`there is no state under Redis prefix ${prefix} to compare with`);
  if (stored !== from)
    throw new UsageError(
      `the state was built with ${stored} partitions, the topics have ${from}; only --into can help`,
    );
  const rebuilt = new RebuiltState(redis, scratch);
  const note = await resumable(rebuilt, new RedisInspector(redis, scratch), scratch);
  if (note === null) await rebuilt.setNote({ phase: 'building', from, until: {} });
  else say('going on with the rebuild that was begun');
  const [live, store] = [new RedisShardStore(redis, prefix), new RedisShardStore(redis, scratch)];
  const build = await openBuild(rebuild, store, from);
  const bounds = new Map(
    await Promise.all(topics.map(async (topic) => [topic, await edge.reader.bounds(topic)] as const)),
  );
  let payments = 0;
  let different = 0;
  for (let shard = 0; shard < from; shard += 1) {
    for (const topic of topics) warnOfLoss(topic, shard, bounds.get(topic)?.[shard]?.low ?? 0n, say);
    const comparison = await compareShard(
      {
        batch,
        live,
        rebuilt: store,
        inspector,
        follow: async (id, { applied, streamTime }) => {
          const spans: Spans = new Map(
            topics.map((topic) => {
              const low = bounds.get(topic)?.[id]?.low ?? 0n;
              return [topic, { low, until: BigInt(applied[topic] ?? 0) }];
            }),
          );
          await build.partition(id, spans);
          await build.shard(id).passTime(streamTime);
        },
      },
      shard,
    );
    payments += comparison.payments;
    different += comparison.different.length;
    for (const each of comparison.different)
      process.stdout.write(`${options.json === true ? JSON.stringify(each) : sayDifference(each)}\n`);
    say(`shard ${shard} of ${from}: ${comparison.payments} payments, ${comparison.different.length} differ`);
  }
  if (options.keep !== true) await rebuilt.drop(store, from);
  const sum = { payments, different };
  const line = `${payments} payments compared; ${different === 0 ? 'none differs' : `${different} differ`}.`;
  process.stdout.write(`${options.json === true ? JSON.stringify(sum) : line}\n`);
  return different === 0 ? EXIT.ok : EXIT.failed;
};

/** Where the new state's owners go on: behind what was built, on topics that they share with the old one. */
const offsetsToGoOn = (
  { config }: Rebuild,
  note: RebuildNote,
  shard: number,
  forTopics: string | undefined,
): Record<string, string> => {
  if (forTopics !== undefined && forTopics !== config.kafka.topic_prefix) return {};
  return Object.fromEntries(
    Object.entries(note.until).flatMap(([topic, offsets]) => {
      const offset = offsets[shard];
      return offset === undefined ? [] : [[topic, offset]];
    }),
  );
};

/** Builds a whole new state under another prefix, with another partition count if asked. */
const buildInto = async (rebuild: Rebuild, into: string, options: RebuildOptions): Promise<ExitCode> => {
  const { config, edge, redis, batch, topics, from, say } = rebuild;
  const to = options.partitions ?? from;
  const isSameTopics = options.forTopics === undefined || options.forTopics === config.kafka.topic_prefix;
  if (to < from && isSameTopics)
    throw new UsageError(`topics cannot go from ${from} partitions to ${to}: name the new ones with --for-topics`);
  if (into === config.redis.prefix)
    throw new UsageError(`--into was ${into}, should be another prefix than the live one`);
  const rebuilt = new RebuiltState(redis, into);
  let note = await resumable(rebuilt, new RedisInspector(redis, into), into);
  const now = Date.now();
  const bounds = new Map(
    await Promise.all(topics.map(async (topic) => [topic, await edge.reader.bounds(topic)] as const)),
  );
  if (note === null) {
    const until = Object.fromEntries(
      [...bounds].map(([topic, list]) => [topic, list.map(({ high }) => high.toString())]),
    );
    note = { phase: 'building', from, until };
    await rebuilt.setNote(note);
  } else say('going on with the rebuild that was begun');

  const store = new RedisShardStore(redis, into);
  const { until } = note;
  if (note.phase === 'building') {
    const build = await openBuild(rebuild, store, to);
    for (let partition = 0; partition < from; partition += 1) {
      const spans: Spans = new Map(
        topics.map((topic) => {
          const low = bounds.get(topic)?.[partition]?.low ?? 0n;
          warnOfLoss(topic, partition, low, say);
          return [topic, { low, until: BigInt(until[topic]?.[partition] ?? 0) }];
        }),
      );
      await build.partition(partition, spans);
      say(`partition ${partition} of ${from} is applied`);
    }
    for (const shard of build.shards) {
      await shard.passTime(now);
      await settleExpiry(batch, store, shard, now);
    }
    const verdicts = prefixedTopic(config.kafka.topic_prefix, VERDICTS_TOPIC);
    const adopted = await adoptPublished(batch, build, edge.reader, verdicts, verdictDecoder(edge.schemas), now);
    say(`${adopted} published revisions are known to the new state`);
    note = { ...note, phase: 'finishing' };
    await rebuilt.setNote(note);
  }
  for (let shard = 0; shard < to; shard += 1)
    await rebuilt.setOffsets(shard, offsetsToGoOn(rebuild, note, shard, options.forTopics));
  await rebuilt.clearNote();
  const told = { prefix: into, partitions: to };
  const line = `The state under ${into} is complete, with ${to} shards. Set redis.prefix (COUNTERSIGN_REDIS_PREFIX) to it.`;
  process.stdout.write(`${options.json === true ? JSON.stringify(told) : line}\n`);
  return EXIT.ok;
};

/** Builds a second state from the topics. Answers with the exit code. */
export const rebuildState = async (options: RebuildOptions): Promise<ExitCode> => {
  if (options.into === undefined && (options.partitions !== undefined || options.forTopics !== undefined))
    throw new UsageError(
      '--partitions and --for-topics are of --into: a comparison has the partitions of the live state',
    );
  const { config } = loadConfig({ file: options.config, needs: ['kafka.brokers', 'redis.url'] });
  return withKafka(config, async (edge) => {
    const redis = createRedis(config.redis);
    try {
      const topics = INPUT_TOPICS.map((topic) => prefixedTopic(config.kafka.topic_prefix, topic));
      const from = await countOf(edge, topics);
      const decode = verdictDecoder(edge.schemas);
      const answers = prefixedTopic(config.kafka.topic_prefix, HANDOFFS_TOPIC);
      const decided = await readDecidedHandoffs(edge.reader, answers, decode);
      const batch = withDecidedHandoffs(createConfiguredBatchDeps(config, options), decided);
      const say = (text: string): void => void process.stderr.write(`${text}\n`);
      const rebuild = { config, edge, redis, batch, topics, from, say };
      return await (options.into === undefined ? compare(rebuild, options) : buildInto(rebuild, options.into, options));
    } finally {
      await redis.close();
    }
  });
};
