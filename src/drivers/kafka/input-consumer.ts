import kafkajs, { type Batch, type Consumer, type EachBatchPayload, type Kafka } from 'kafkajs';
import type { Clock } from '../../ports/clock.ts';
import type { FetchedBatch, InputLog, LogBounds, ShardOffsets } from '../../ports/input-log.ts';
import { createCopartitionedAssigner, type PartitionCounts } from './assigner.ts';
import { brokerUnavailable } from './broker-error.ts';
import { consumedRecord } from './consumed-record.ts';
import { keepAlive } from './keep-alive.ts';
import { Membership } from './membership.ts';
import type { PartitionReader } from './partition-reader.ts';

/** What the consumer tells its shards. All but `deliver` return at once. */
export interface InputHandlers {
  /** The group was joined: these shards, and no others, are this member's. */
  assigned(shards: readonly number[]): void;
  /** This member is in the group. */
  heartbeat(): void;
  /** Resolves once the batch is done with or refused; never rejects. */
  deliver(batch: FetchedBatch): Promise<void>;
  /** Nothing but markers of transactions stood there. */
  skipped(shard: number, topic: string, from: bigint, next: bigint): void;
  /** The consumer has stopped for good and cannot come back. */
  crashed(error: Error): void;
}

export interface InputConsumerOptions {
  /** one of its own for each member of a process */
  readonly kafka: Kafka;
  readonly reader: PartitionReader;
  readonly group: string;
  /** full names, co-partitioned */
  readonly topics: readonly string[];
  readonly partitions: number;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly fetchMaxWaitMs: number;
  readonly fetchMaxBytes: number;
  readonly clock: Clock;
}

export interface InputConsumer extends InputLog {
  start(handlers: InputHandlers): Promise<void>;
  /** Stops fetching, waits for what is being handled, and leaves the group. */
  stop(): Promise<void>;
  /** The counts of the input topics where they differ: shards beyond the smallest are nobody's. */
  unequalCounts(): PartitionCounts | null;
}

/** What the client's batch has at run time, and its typings leave out. */
const fetchedOffsetOf = (batch: Batch): bigint => BigInt((batch as Batch & { fetchedOffset: string }).fetchedOffset);

const shardsOf = (topics: readonly string[], assignment: Readonly<Record<string, readonly number[]>>): number[] => {
  const [first, ...others] = topics.map((topic) => assignment[topic] ?? []);
  return (first ?? []).filter((partition) => others.every((list) => list.includes(partition)));
};

/**
 * The member of the group that feeds this process's shards. KafkaJS knows nothing of the offsets that the store holds and would
 * begin at the group's own; so partitions are paused in the very call that announces them (a listener that awaits first is too
 * late), and flow once their shard has said from where.
 */
export const createInputConsumer = (options: InputConsumerOptions): InputConsumer => {
  const { kafka, reader, group, topics, partitions, clock } = options;
  const assigner = createCopartitionedAssigner();
  let isStopping = false;
  const consumer: Consumer = kafka.consumer({
    groupId: group,
    partitionAssigners: [assigner.partitionAssigner],
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.rebalanceTimeoutMs,
    heartbeatInterval: options.heartbeatIntervalMs,
    maxWaitTimeInMs: options.fetchMaxWaitMs,
    maxBytesPerPartition: options.fetchMaxBytes,
    // Enough for every partition's share: one that is full must not empty the answer for the others.
    maxBytes: Math.min(options.fetchMaxBytes * topics.length * partitions, 2 ** 30),
    allowAutoTopicCreation: false,
    retry: { retries: 8, restartOnFailure: async () => !isStopping },
  });
  /** node → when its running fetch began; a batch is as old as the oldest of them, at most */
  const fetchStarts = new Map<string, number>();
  const membership = new Membership(options);
  let rejoining: Promise<void> | null = null;

  const all = (shard: number): { topic: string; partitions: number[] }[] =>
    topics.map((topic) => ({ topic, partitions: [shard] }));

  const fetched = (batch: Batch, receivedAt: number): FetchedBatch => ({
    shard: batch.partition,
    topic: batch.topic,
    from: fetchedOffsetOf(batch),
    records: batch.messages.map((message) => consumedRecord(batch.topic, batch.partition, message)),
    next: BigInt(batch.lastOffset()) + 1n,
    end: BigInt(batch.highWatermark),
    fetchedAt: Math.min(receivedAt, ...fetchStarts.values()),
  });

  /** While the client restarts after a crash there is no group to tell; the shards are announced anew when it is back. */
  const inGroup = (tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      if (!(error instanceof kafkajs.KafkaJSNonRetriableError)) throw error;
    }
  };

  const listen = (handlers: InputHandlers): void => {
    const { GROUP_JOIN, HEARTBEAT, FETCH_START, FETCH, START_BATCH_PROCESS, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => {
      const shards = shardsOf(topics, payload.memberAssignment);
      assigner.joined(shards);
      membership.confirmed();
      fetchStarts.clear();
      handlers.assigned(shards);
    });
    consumer.on(HEARTBEAT, ({ payload }) => {
      assigner.heartbeat(payload.groupGenerationId);
      membership.confirmed();
      handlers.heartbeat();
    });
    consumer.on(FETCH_START, ({ payload }) => {
      fetchStarts.set(String((payload as { nodeId?: unknown }).nodeId), clock.now());
    });
    consumer.on(FETCH, () => {
      if (membership.isLostAt(clock.now())) rejoin(handlers);
    });
    consumer.on(START_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize > 0) return;
      handlers.skipped(payload.partition, payload.topic, BigInt(payload.firstOffset), BigInt(payload.lastOffset) + 1n);
    });
    consumer.on(CRASH, ({ payload }) => {
      if (!payload.restart && !isStopping) handlers.crashed(payload.error);
    });
  };

  const run = (handlers: InputHandlers): Promise<void> =>
    consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch, heartbeat }: EachBatchPayload): Promise<void> => {
        const done = handlers.deliver(fetched(batch, clock.now()));
        await keepAlive(done, heartbeat, options.heartbeatIntervalMs);
      },
      // Batches of one shard wait for each other at the shard; those of others must not wait for them here.
      partitionsConsumedConcurrently: topics.length * partitions,
    });

  /** Ends the run that is outside of the group, and begins one that joins it. */
  const rejoin = (handlers: InputHandlers): void => {
    if (rejoining !== null || isStopping) return;
    consumer.logger().warn('fetching without a heartbeat for a session; joining the group again', { groupId: group });
    const again = async (): Promise<void> => {
      await consumer.stop();
      membership.confirmed();
      if (!isStopping) await run(handlers);
    };
    rejoining = again()
      .catch((cause: unknown) => {
        if (!isStopping) handlers.crashed(brokerUnavailable(`joining the group ${group} again`, cause));
      })
      .finally(() => {
        rejoining = null;
      });
  };

  return {
    topics,
    unequalCounts: () => assigner.unequalCounts(),
    pause: (shard) => inGroup(() => consumer.pause(all(shard))),
    resume: (shard: number, from: ShardOffsets) =>
      inGroup(() => {
        for (const [topic, offset] of from) consumer.seek({ topic, partition: shard, offset: offset.toString() });
        consumer.resume(all(shard));
      }),
    seek: (shard, topic, offset) =>
      inGroup(() => consumer.seek({ topic, partition: shard, offset: offset.toString() })),
    bounds: async (shard) => {
      const bounds = new Map<string, LogBounds>();
      for (const topic of topics) {
        const found = (await reader.bounds(topic))[shard];
        if (found !== undefined) bounds.set(topic, found);
      }
      return bounds;
    },
    start: async (handlers) => {
      listen(handlers);
      try {
        await consumer.connect();
        await consumer.subscribe({ topics: [...topics], fromBeginning: true });
        await run(handlers);
      } catch (cause) {
        throw brokerUnavailable(`joining the group ${group}`, cause);
      }
    },
    stop: async () => {
      isStopping = true;
      await consumer.disconnect();
      if (rejoining === null) return;
      await rejoining;
      await consumer.disconnect();
    },
  };
};
