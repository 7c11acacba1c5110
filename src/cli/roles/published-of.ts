import type { PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import { readPartition } from '../../drivers/kafka/read-partition.ts';
import type { VerdictDecoder } from '../../drivers/kafka/verdict-tail.ts';
import type { VerdictRecord } from '../../evaluator/index.ts';
import { partitionOfKey } from '../../records/partition.ts';

/**
 * Every way to read `<payment key>/<operation id>`: a payment's id and an operation's may hold slashes themselves, so each is
 * tried as the one between them.
 */
export const readingsOf = (operation: string): { readonly paymentKey: string; readonly operationId: string }[] =>
  [...operation.matchAll(/\//g)].map(({ index }) => ({
    paymentKey: operation.slice(0, index),
    operationId: operation.slice(index + 1),
  }));

/** The revisions of an operation that the verdicts topic still holds, oldest first. */
export const publishedOf = async (
  reader: PartitionReader,
  topic: string,
  operation: string,
  decode: VerdictDecoder,
): Promise<VerdictRecord[]> => {
  const bounds = await reader.bounds(topic);
  const partitions = new Set(readingsOf(operation).map(({ paymentKey }) => partitionOfKey(paymentKey, bounds.length)));
  const found = new Map<number, VerdictRecord>();
  for (const partition of partitions) {
    const { low, high } = bounds[partition] ?? { low: 0n, high: 0n };
    for await (const { records } of readPartition(reader, topic, partition, low, high)) {
      for (const { key, value } of records) {
        if (value === null || key === null || Buffer.from(key).toString('utf8') !== operation) continue;
        const verdict = (await decode(value)) as VerdictRecord;
        found.set(verdict.revision, verdict);
      }
    }
  }
  return [...found.values()].sort((a, b) => a.revision - b.revision);
};
