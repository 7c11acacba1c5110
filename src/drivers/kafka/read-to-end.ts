import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import type { PartitionReader } from './partition-reader.ts';

/** Every record from `from` to the end of what is committed. */
export const readToEnd = async (
  reader: PartitionReader,
  topic: string,
  partition: number,
  from: bigint,
  visit: (record: ConsumedRecord) => void,
): Promise<void> => {
  let next = from;
  for (;;) {
    const slice = await reader.read(topic, partition, next, { maxBytes: 4 << 20 });
    for (const record of slice.records) visit(record);
    if (slice.next >= slice.end || slice.next === next) return;
    next = slice.next;
  }
};
