import { parseInstant } from '../../evaluator/index.ts';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import type { PublishedRevision, PublishedRevisions } from '../../ports/verdict-publisher.ts';
import type { PartitionReader } from './partition-reader.ts';
import { SEQUENCE_HEADER } from './verdict-messages.ts';

/** Reads the value of a verdict record back: JSON, or Avro by the registry. */
export type VerdictDecoder = (value: Uint8Array) => Promise<unknown>;

export const jsonVerdict: VerdictDecoder = async (value) => JSON.parse(Buffer.from(value).toString('utf8'));

const FIRST_STEP = 1_000n;

const sequenceOf = (record: ConsumedRecord): number | null => {
  const sequence = Number(record.headers[SEQUENCE_HEADER]);
  return Number.isSafeInteger(sequence) && sequence > 0 ? sequence : null;
};

/** Every record from `from` to the end of what is committed. */
const readToEnd = async (
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

/** The offset from which on every verdict with a sequence of at least `sequence` stands. Sequences only grow with offsets. */
const startOf = async (
  reader: PartitionReader,
  topic: string,
  partition: number,
  sequence: number,
): Promise<bigint> => {
  const { low, high } = (await reader.bounds(topic))[partition] ?? { low: 0n, high: 0n };
  for (let step = FIRST_STEP; ; step *= 4n) {
    const from = high - step > low ? high - step : low;
    if (from === low) return low;
    const { records } = await reader.read(topic, partition, from);
    const first = records.map(sequenceOf).find((each) => each !== null);
    if (first !== undefined && first !== null && first < sequence) return from;
  }
};

export interface VerdictTail {
  readonly published: PublishedRevisions;
  /** the sequence number after the last one in the partition; 1 where it holds none */
  readonly next: number;
}

/**
 * What the verdicts partition says from sequence number `from` on, at read_committed: per operation, the revisions in order.
 * Compaction may have taken earlier ones; the last revision of an operation is always there.
 */
export const readVerdictTail = async (
  reader: PartitionReader,
  topic: string,
  partition: number,
  from: number,
  decode: VerdictDecoder,
): Promise<VerdictTail> => {
  const found: ConsumedRecord[] = [];
  let next = 1;
  await readToEnd(reader, topic, partition, await startOf(reader, topic, partition, from), (record) => {
    const sequence = sequenceOf(record);
    if (sequence === null) return;
    next = Math.max(next, sequence + 1);
    if (sequence >= from) found.push(record);
  });
  const published = new Map<string, PublishedRevision[]>();
  for (const { key, value } of found) {
    if (key === null || value === null) continue;
    const verdict = (await decode(value)) as PublishedRevision & { decided_at: string };
    const name = Buffer.from(key).toString('utf8');
    const revisions = published.get(name) ?? [];
    revisions.push({
      revision: verdict.revision,
      verdict: verdict.verdict,
      class: verdict.class,
      reason: verdict.reason,
      decidedAt: parseInstant(verdict.decided_at)?.startMs ?? 0,
    });
    published.set(name, revisions);
  }
  return { published, next };
};

/** The sequence number after the last one in the partition; 1 where it holds none. */
export const nextSequenceInLog = async (
  reader: PartitionReader,
  topic: string,
  partition: number,
  decode: VerdictDecoder,
): Promise<number> => (await readVerdictTail(reader, topic, partition, Number.MAX_SAFE_INTEGER, decode)).next;
