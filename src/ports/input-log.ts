import type { ConsumedRecord } from './consumed-record.ts';
import type { ShardId } from './shard-store.ts';

/** One fetch's worth of one partition. */
export interface FetchedBatch {
  readonly shard: ShardId;
  /** the topic's full name */
  readonly topic: string;
  /** the offset that was asked for */
  readonly from: bigint;
  readonly records: readonly ConsumedRecord[];
  /** the offset to go on from; past the last record where markers of transactions follow it */
  readonly next: bigint;
  /** the end of the partition when it was fetched */
  readonly end: bigint;
  /** when the fetch began, milliseconds since the epoch */
  readonly fetchedAt: number;
}

export interface LogBounds {
  /** the first offset that the log still holds */
  readonly low: bigint;
  /** the offset after the last one */
  readonly high: bigint;
}

/** Topic → offset of one shard's partition of it. */
export type ShardOffsets = ReadonlyMap<string, bigint>;

/** What a shard asks of the log that feeds it. A shard is fed only between `resume` and `pause`. */
export interface InputLog {
  /** full names of the co-partitioned input topics */
  readonly topics: readonly string[];
  pause(shard: ShardId): void;
  /** Feeds the shard from these offsets on. They must lie within the log: anything else resets the client silently. */
  resume(shard: ShardId, from: ShardOffsets): void;
  /** What comes next of this topic is not what the shard needs: go there. */
  seek(shard: ShardId, topic: string, offset: bigint): void;
  /** Throws a retryable OperatingError where the broker does not answer. */
  bounds(shard: ShardId): Promise<ReadonlyMap<string, LogBounds>>;
}
