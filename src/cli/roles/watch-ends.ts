import type { Logger } from 'pino';
import type { ShardSet } from '../../consumers/shard-set.ts';
import type { PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import { OperatingError } from '../../errors.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Progress } from '../../observability/progress.ts';
import type { Waits } from '../../observability/waits.ts';
import { systemClock } from '../../ports/clock.ts';
import type { ShardStore } from '../../ports/shard-store.ts';

export interface WatchEndsOptions {
  readonly reader: PartitionReader;
  readonly topics: readonly string[];
  readonly shards: ShardSet;
  readonly store: Pick<ShardStore, 'oldestUnresolved'>;
  readonly progress: Progress;
  readonly waits: Waits;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly intervalMs: number;
  /** hears of a mistake in the program */
  readonly onFatal: (error: unknown) => void;
}

type Ends = ReadonlyMap<string, readonly bigint[]>;

const NO_ENDS = 'the broker has not said where the input topics end';

/** Shards that nobody owns yet: they have no position that could be behind. */
const takeOvers = (shards: ShardSet): string[] =>
  shards
    .facts()
    .flatMap(({ shard, state }) => (state === 'claiming' ? [`the take-over of shard ${shard} has been going on`] : []));

/** Which partitions are ours now, how far they are applied, and what is left. */
const measure = ({ shards, progress, metrics }: WatchEndsOptions, ends: Ends, known: Set<string>): void => {
  const ours = new Set<string>();
  const states = new Map<string, number>();
  metrics.streamTimeDelay.reset();
  for (const { shard, state, streamTime, positions } of shards.facts()) {
    states.set(state, (states.get(state) ?? 0) + 1);
    if (streamTime !== null) {
      metrics.streamTimeDelay.set({ shard }, Math.max(0, (systemClock.now() - streamTime) / 1000));
    }
    for (const [topic, offsets] of ends) {
      const name = `${topic}/${shard}`;
      ours.add(name);
      const position = positions?.[topic];
      // A shard that does not run has made no progress: its position stays the last one that was seen.
      if (position === undefined) continue;
      const lag = Number((offsets[shard] ?? 0n) - BigInt(position));
      progress.observe(name, position, Math.max(lag, 0));
      metrics.lag.set({ topic, partition: shard }, Math.max(lag, 0));
    }
  }
  for (const name of known) {
    if (ours.has(name)) continue;
    progress.forget(name);
    const at = name.lastIndexOf('/');
    metrics.lag.remove({ topic: name.slice(0, at), partition: name.slice(at + 1) });
  }
  known.clear();
  for (const name of ours) known.add(name);
  metrics.shards.reset();
  for (const [state, count] of states) metrics.shards.set({ state }, count);
};

/** How old the oldest operation is that waits, by shard: one look into the store for each. */
const measureUnresolved = async ({ shards, store, metrics }: WatchEndsOptions): Promise<void> => {
  const running = shards.facts().filter(({ streamTime }) => streamTime !== null);
  const since = await Promise.all(running.map(({ shard }) => store.oldestUnresolved(shard)));
  metrics.oldestUnresolved.reset();
  for (const [index, { shard }] of running.entries()) {
    const at = since[index] ?? null;
    metrics.oldestUnresolved.set({ shard }, at === null ? 0 : Math.max(0, (systemClock.now() - at) / 1000));
  }
};

/**
 * Asks the broker at each interval where the input partitions end. A shard that has applied all of that has reached the wall
 * time: the client does not tell of fetches that find nothing. While the broker does not answer, time stands still.
 */
export const watchEnds = (options: WatchEndsOptions): { stop(): Promise<void> } => {
  const { reader, topics, shards, waits, logger, intervalMs } = options;
  const known = new Set<string>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const look = async (): Promise<void> => {
    const at = systemClock.now();
    waits.are([...takeOvers(shards), NO_ENDS]);
    try {
      const ends = await reader.ends(topics);
      if (isStopped) return;
      waits.are(takeOvers(shards));
      shards.sawEnds(ends, at);
      measure(options, ends, known);
      await measureUnresolved(options);
    } catch (error) {
      if (!(error instanceof OperatingError)) return options.onFatal(error);
      logger.debug({ error: error.message }, 'the progress of the shards cannot be told');
    }
  };

  const next = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = look().finally(next);
    }, intervalMs);
  };
  next();

  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
