import { OperatingError } from '../../errors.ts';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import type { PartitionReader } from './partition-reader.ts';

const FETCH_BYTES = 4 << 20;
/** Fetches in a row that bring nothing although the partition goes on: a transaction is open there. */
const IDLE_MAX = 100;

/**
 * The records of a partition from `from` up to `until`, in pieces as they are fetched, at read_committed. A transaction that is
 * still open before `until` is waited for. Throws BROKER_UNAVAILABLE, OFFSETS_OUTSIDE_LOG.
 */
export async function* readPartition(
  reader: PartitionReader,
  topic: string,
  partition: number,
  from: bigint,
  until: bigint,
): AsyncGenerator<{ readonly records: readonly ConsumedRecord[]; readonly next: bigint }> {
  let idle = 0;
  for (let next = from; next < until; ) {
    const slice = await reader.read(topic, partition, next, { maxBytes: FETCH_BYTES });
    idle = slice.next === next ? idle + 1 : 0;
    if (idle > IDLE_MAX) {
      throw new OperatingError(
        'BROKER_UNAVAILABLE',
        `reading ${topic}/${partition}: a transaction has been open since offset ${next}`,
        { context: { topic, partition, offset: next.toString() } },
      );
    }
    next = slice.next;
    const records = slice.records.filter((record) => BigInt(record.offset) < until);
    if (records.length > 0 || idle === 0) yield { records, next: next < until ? next : until };
  }
}

/** Every record that a topic holds now, partition after partition. */
export async function* readTopic(reader: PartitionReader, topic: string): AsyncGenerator<readonly ConsumedRecord[]> {
  for (const [partition, { low, high }] of (await reader.bounds(topic)).entries()) {
    for await (const { records } of readPartition(reader, topic, partition, low, high)) yield records;
  }
}
