import type { PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import { readPartition } from '../../drivers/kafka/read-partition.ts';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';

const BATCH_RECORDS = 1000;

/** Part of one topic's partition: from one offset up to, and without, another. */
export interface PartitionSpan {
  readonly topic: string;
  readonly from: bigint;
  readonly until: bigint;
}

interface Cursor {
  readonly span: PartitionSpan;
  readonly pieces: AsyncGenerator<{ readonly records: readonly ConsumedRecord[]; readonly next: bigint }>;
  held: readonly ConsumedRecord[];
  at: number;
  /** the offset after the last record that was handed on */
  next: bigint;
  /** the offset after what is held */
  heldTo: bigint;
  isAtEnd: boolean;
}

/** A run of records in the order of their timestamps, each topic's own order kept. */
export interface MergedBatch {
  readonly records: readonly ConsumedRecord[];
  /** topic → the offset to go on from after this batch */
  readonly next: ReadonlyMap<string, bigint>;
}

const fill = async (cursor: Cursor): Promise<void> => {
  while (cursor.at >= cursor.held.length && !cursor.isAtEnd) {
    // Nothing of what was held is left: markers of transactions behind it need not be read again.
    cursor.next = cursor.heldTo;
    const piece = await cursor.pieces.next();
    if (piece.done === true) {
      cursor.isAtEnd = true;
      cursor.next = cursor.span.until;
      return;
    }
    cursor.held = piece.value.records;
    cursor.heldTo = piece.value.next;
    cursor.at = 0;
  }
};

const earliest = (cursors: readonly Cursor[]): Cursor | null => {
  let first: Cursor | null = null;
  for (const cursor of cursors) {
    const record = cursor.held[cursor.at];
    if (record === undefined) continue;
    if (first === null || record.timestamp < (first.held[first.at]?.timestamp ?? 0)) first = cursor;
  }
  return first;
};

/**
 * The records of one partition of several topics as one log, by timestamp: as a consumer that was never behind would have met
 * them. Memory is bounded by a fetch of each topic. Throws what reading throws.
 */
export async function* mergedRecords(
  reader: PartitionReader,
  partition: number,
  spans: readonly PartitionSpan[],
): AsyncGenerator<MergedBatch> {
  const cursors = spans.map((span): Cursor => {
    const pieces = readPartition(reader, span.topic, partition, span.from, span.until);
    return { span, pieces, held: [], at: 0, next: span.from, heldTo: span.from, isAtEnd: false };
  });
  const next = (): Map<string, bigint> => new Map(cursors.map((cursor) => [cursor.span.topic, cursor.next]));
  let records: ConsumedRecord[] = [];
  for (;;) {
    for (const cursor of cursors) await fill(cursor);
    const cursor = earliest(cursors);
    const record = cursor?.held[cursor.at];
    if (cursor === null || record === undefined) break;
    records.push(record);
    cursor.at += 1;
    cursor.next = BigInt(record.offset) + 1n;
    if (records.length < BATCH_RECORDS) continue;
    yield { records, next: next() };
    records = [];
  }
  yield { records, next: next() };
}
