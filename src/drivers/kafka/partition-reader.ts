import { createRequire } from 'node:module';
import type { Cluster, Kafka } from 'kafkajs';
import { OperatingError } from '../../errors.ts';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import { brokerErrorType, brokerUnavailable } from './broker-error.ts';
import { consumedRecord, type RawMessage } from './consumed-record.ts';

interface FetchedBatch {
  readonly messages: readonly RawMessage[];
  isEmptyIncludingFiltered(): boolean;
  lastOffset(): string;
}

// The client's own filter of aborted transactions and control records; it is not exported.
const Batch = createRequire(import.meta.url)('kafkajs/src/consumer/batch') as new (
  topic: string,
  fetchedOffset: string,
  partitionData: unknown,
) => FetchedBatch;

const READ_COMMITTED = 1;

export interface OffsetBounds {
  /** the first offset that the log still holds */
  readonly low: bigint;
  /** the offset after the last one, open transactions included */
  readonly high: bigint;
}

export interface PartitionSlice {
  readonly records: readonly ConsumedRecord[];
  /** where to read on; where it equals `end` there is nothing more to read now */
  readonly next: bigint;
  /** the end of what read_committed may see */
  readonly end: bigint;
}

/** Reads partitions without a group: any offset, at once, at read_committed. Errors are BROKER_UNAVAILABLE, OFFSETS_OUTSIDE_LOG. */
export interface PartitionReader {
  /** topic → by partition; one round of requests for all topics. */
  ends(topics: readonly string[]): Promise<Map<string, bigint[]>>;
  bounds(topic: string): Promise<OffsetBounds[]>;
  read(topic: string, partition: number, from: bigint, options?: ReadOptions): Promise<PartitionSlice>;
  close(): Promise<void>;
}

export interface ReadOptions {
  readonly maxBytes?: number;
  readonly maxWaitMs?: number;
}

/** A consumer that never runs still makes a cluster, and hands it to its assigner. That is the client's only door to one. */
const clusterOf = (kafka: Kafka): Cluster => {
  const found: Cluster[] = [];
  kafka.consumer({
    groupId: 'never-joined',
    readUncommitted: true,
    partitionAssigners: [
      ({ cluster }) => {
        found.push(cluster);
        return {
          name: 'none',
          version: 0,
          assign: async () => [],
          protocol: () => ({ name: 'none', metadata: Buffer.alloc(0) }),
        };
      },
    ],
  });
  const [cluster] = found;
  if (cluster === undefined)
    throw new TypeError('this release of kafkajs does not call assigners when a consumer is made');
  return cluster;
};

export const createPartitionReader = (kafka: Kafka): PartitionReader => {
  const cluster = clusterOf(kafka);
  let connecting: Promise<void> | null = null;
  const fetching = new Map<string, Promise<unknown>>();

  /**
   * One fetch at a time of a broker, which answers a connection's requests one after the other anyway. Two that find the client's
   * connection for fetches down would each open a socket, and the client forgets the first, which then outlives it.
   */
  const inTurn = <T>(nodeId: string, run: () => Promise<T>): Promise<T> => {
    const turn = (fetching.get(nodeId) ?? Promise.resolve()).then(run);
    const settled = turn.catch(() => undefined);
    fetching.set(nodeId, settled);
    return turn;
  };

  const attempt = async <T>(doing: string, run: () => Promise<T>): Promise<T> => {
    try {
      connecting ??= cluster.connect();
      await connecting;
      return await run();
    } catch (cause) {
      connecting = null;
      if (brokerErrorType(cause) !== 'OFFSET_OUT_OF_RANGE' && cluster.isConnected()) {
        // The leader may have moved. Were this to fail too, the next attempt does it again.
        await cluster.refreshMetadata().catch(() => undefined);
      }
      throw brokerUnavailable(doing, cause);
    }
  };

  const offsets = async (topics: readonly string[], fromBeginning: boolean): Promise<Map<string, bigint[]>> => {
    await cluster.addMultipleTargetTopics([...topics]);
    await cluster.refreshMetadataIfNecessary();
    const answers = await cluster.fetchTopicsOffset(
      topics.map((topic) => ({
        topic,
        fromBeginning,
        partitions: cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId })),
      })),
    );
    const byTopic = new Map<string, bigint[]>();
    for (const { topic, partitions } of answers) {
      const list = byTopic.get(topic) ?? [];
      for (const { partition, offset } of partitions) list[partition] = BigInt(offset);
      byTopic.set(topic, list);
    }
    return byTopic;
  };

  return {
    ends: (topics) => attempt(`the ends of ${topics.join(', ')}`, () => offsets(topics, false)),

    bounds: (topic) =>
      attempt(`the bounds of ${topic}`, async () => {
        const [lows, highs] = [await offsets([topic], true), await offsets([topic], false)];
        const low = lows.get(topic) ?? [];
        return (highs.get(topic) ?? []).map((high, partition) => ({ low: low[partition] ?? 0n, high }));
      }),

    read: (topic, partition, from, { maxBytes = 1 << 20, maxWaitMs = 100 } = {}) =>
      attempt(`reading ${topic}/${partition} from ${from}`, async () => {
        await cluster.addTargetTopic(topic);
        await cluster.refreshMetadataIfNecessary();
        const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
        if (nodeId === undefined)
          throw new OperatingError('BROKER_UNAVAILABLE', `${topic} has no partition ${partition}`);
        const broker = await cluster.findBroker({ nodeId });
        const request = {
          isolationLevel: READ_COMMITTED,
          maxWaitTime: maxWaitMs,
          minBytes: 1,
          maxBytes,
          topics: [{ topic, partitions: [{ partition, fetchOffset: from.toString(), maxBytes }] }],
        };
        const { responses } = (await inTurn(nodeId, () => broker.fetch(request))) as {
          responses: { partitions: { lastStableOffset: string }[] }[];
        };
        const data = responses[0]?.partitions[0];
        if (data === undefined) return { records: [], next: from, end: from };
        const batch = new Batch(topic, from.toString(), data);
        return {
          records: batch.messages.map((message) => consumedRecord(topic, partition, message)),
          next: batch.isEmptyIncludingFiltered() ? from : BigInt(batch.lastOffset()) + 1n,
          end: BigInt(data.lastStableOffset),
        };
      }).catch((error: unknown) => {
        if (brokerErrorType(error) !== 'OFFSET_OUT_OF_RANGE' && brokerErrorType(error) !== 'KafkaJSOffsetOutOfRange')
          throw error;
        throw new OperatingError('OFFSETS_OUTSIDE_LOG', `${topic}/${partition} holds no offset ${from}`, {
          cause: error,
          context: { topic, partition, offset: from.toString() },
        });
      }),

    close: async () => {
      if (cluster.isConnected()) await cluster.disconnect();
    },
  };
};
