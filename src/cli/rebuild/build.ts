import { admitRecords } from '../../consumers/admit-records.ts';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import type { BindableRequest } from '../../consumers/bind-authorities.ts';
import { type DecodeOptions, decodeRecords } from '../../consumers/decode-records.ts';
import type { PaymentGroup } from '../../consumers/group.ts';
import type { PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import type { EpochMs } from '../../evaluator/index.ts';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import type { ShardStore } from '../../ports/shard-store.ts';
import { partitionOfKey } from '../../records/partition.ts';
import { type MergedBatch, mergedRecords, type PartitionSpan } from './merged-records.ts';
import { TargetShard } from './target-shard.ts';

/** Batches after which shards that got nothing are told how far the source is read. */
const MARK_EVERY = 100;

export interface BuildOptions {
  readonly reader: PartitionReader;
  readonly batch: BatchDeps;
  readonly decode: DecodeOptions;
  readonly store: ShardStore;
  /** full names of the input topics */
  readonly topics: readonly string[];
  /** partitions of the topics */
  readonly from: number;
  /** shards of the state that is built */
  readonly to: number;
  /** hears after each batch how many records of a partition were read */
  readonly onProgress: (partition: number, records: number) => void;
}

/** Topic → its partition's first offset and the offset to read up to. */
export type Spans = ReadonlyMap<string, { readonly low: bigint; readonly until: bigint }>;

/** A group without the records that the shard has applied before. */
const notApplied = (
  group: PaymentGroup,
  records: readonly ConsumedRecord[],
  shard: TargetShard,
  partition: number,
): PaymentGroup | null => {
  const kept = group.records.flatMap((index, place) => {
    const record = records[index];
    return record !== undefined && BigInt(record.offset) >= shard.mark(record.topic, partition) ? [place] : [];
  });
  if (kept.length === group.records.length) return group;
  if (kept.length === 0) return null;
  return {
    ...group,
    observations: kept.flatMap((place) => group.observations[place] ?? []),
    appliedAt: kept.flatMap((place) => group.appliedAt[place] ?? []),
    records: kept.flatMap((place) => group.records[place] ?? []),
  };
};

/**
 * Builds a state from the input topics. Each commit says how far the source was read, so that a build that was ended goes on where it
 * was, and one that is done can follow the topics further.
 */
export class StateBuild {
  readonly #options: BuildOptions;
  readonly #shards: readonly TargetShard[];
  #now: EpochMs = 0;

  private constructor(options: BuildOptions, shards: readonly TargetShard[]) {
    this.#options = options;
    this.#shards = shards;
  }

  /** Takes every shard of the state. */
  static async open(options: BuildOptions): Promise<StateBuild> {
    await options.store.checkPartitionCount(options.to);
    const shards: TargetShard[] = [];
    for (let shard = 0; shard < options.to; shard += 1) {
      shards.push(await TargetShard.claim(options.batch, options.store, shard));
    }
    return new StateBuild(options, shards);
  }

  get shards(): readonly TargetShard[] {
    return this.#shards;
  }

  shard(id: number): TargetShard {
    const shard = this.#shards[id];
    if (shard === undefined) throw new TypeError(`the state has ${this.#shards.length} shards, none is ${id}`);
    return shard;
  }

  /** Applies one source partition up to the given offsets. */
  async partition(partition: number, spans: Spans): Promise<void> {
    const { reader } = this.#options;
    this.#now = 0;
    let batches = 0;
    for await (const batch of mergedRecords(reader, partition, this.#spansLeft(partition, spans))) {
      await this.#apply(partition, batch);
      batches += 1;
      if (batches % MARK_EVERY === 0) await this.#markAll(partition, batch.next);
      this.#options.onProgress(partition, batch.records.length);
    }
    await this.#markAll(partition, new Map([...spans].map(([topic, { until }]) => [topic, until])));
  }

  /** From where some shard has not applied it yet. With as many shards as partitions, a partition is one shard's alone. */
  #spansLeft(partition: number, spans: Spans): PartitionSpan[] {
    const receivers = this.#receivers(partition);
    return [...spans].map(([topic, { low, until }]) => {
      let from = until;
      for (const shard of receivers) {
        const mark = shard.mark(topic, partition);
        if (mark < from) from = mark;
      }
      // What the log has let go is no longer there to be read.
      return from > low ? { topic, from, until } : { topic, from: low, until };
    });
  }

  #receivers(partition: number): readonly TargetShard[] {
    const { from, to } = this.#options;
    return from === to ? [this.shard(partition)] : this.#shards;
  }

  async #apply(partition: number, { records, next }: MergedBatch): Promise<void> {
    const { batch, decode, from, to } = this.#options;
    const decoded = await decodeRecords(records, decode);
    const wall = Date.now();
    const { groups, bindable } = admitRecords(batch, decoded, {
      reach: ({ timestamp }) => {
        this.#now = Math.max(this.#now, Math.min(timestamp ?? 0, wall));
        return this.#now;
      },
      // A record on another partition than its payment's was sent on, and counts where it arrived.
      partitionOf: (key) => partitionOfKey(key, from),
    });
    const byShard = new Map<number, PaymentGroup[]>();
    for (const group of groups.list()) {
      const id = partitionOfKey(group.key, to);
      const left = notApplied(group, records, this.shard(id), partition);
      if (left === null) continue;
      const list = byShard.get(id) ?? [];
      list.push(left);
      byShard.set(id, list);
    }
    const requests = new Map<number, BindableRequest[]>();
    for (const one of bindable) {
      if (one.authorityKey === null) continue;
      const id = partitionOfKey(one.authorityKey, to);
      const { topic, offset } = one.decoded.source;
      if (BigInt(offset) < this.shard(id).mark(topic, partition)) continue;
      requests.set(id, [...(requests.get(id) ?? []), one]);
    }
    for (const id of new Set([...byShard.keys(), ...requests.keys()]))
      await this.shard(id).apply(byShard.get(id) ?? [], this.#now, partition, next, requests.get(id));
  }

  async #markAll(partition: number, next: ReadonlyMap<string, bigint>): Promise<void> {
    for (const shard of this.#receivers(partition)) {
      const isBehind = [...next].some(([topic, offset]) => shard.mark(topic, partition) < offset);
      if (isBehind) await shard.apply([], this.#now, partition, next);
    }
  }
}
