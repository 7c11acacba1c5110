import { furthest } from '../../consumers/offset-order.ts';
import { type PaymentRef, parseInstant, toldOf, type VerdictRecord } from '../../evaluator/index.ts';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import type { AppliedOffsets } from '../../ports/shard-store.ts';
import type { PublishedPayments, PublishedRevision } from '../../ports/verdict-publisher.ts';
import type { PartitionReader } from './partition-reader.ts';
import { readToEnd } from './read-to-end.ts';
import { APPLIED_HEADER, SEQUENCE_HEADER } from './verdict-messages.ts';

/** Reads the value of a verdict record back: JSON, or Avro by the registry. */
export type VerdictDecoder = (value: Uint8Array) => Promise<unknown>;

export const jsonVerdict: VerdictDecoder = async (value) => JSON.parse(Buffer.from(value).toString('utf8'));

const FIRST_STEP = 1_000n;

export const sequenceOf = (record: ConsumedRecord): number | null => {
  const sequence = Number(record.headers[SEQUENCE_HEADER]);
  return Number.isSafeInteger(sequence) && sequence > 0 ? sequence : null;
};

/** The offset from which on every verdict with a sequence of at least `sequence` stands. Sequences only grow with offsets. */
export const startOf = async (
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

const refOf = ({ provider, account, payment_key: key }: VerdictRecord): PaymentRef => ({
  provider,
  account,
  paymentId: key.slice(`${provider}:${account}:`.length),
});

/** A published verdict as the reducer compares with it. */
export const revisionOf = (verdict: VerdictRecord): PublishedRevision => ({
  revision: verdict.revision,
  verdict: verdict.verdict,
  class: verdict.class,
  reason: verdict.reason,
  detail: verdict.detail,
  moneyMoved: verdict.money_moved,
  duplicates: verdict.duplicates.count,
  told: toldOf(verdict),
  decidedAt: parseInstant(verdict.decided_at)?.startMs ?? 0,
  receipt: verdict.receipt?.hash ?? null,
});

export interface VerdictTail {
  readonly published: PublishedPayments;
  /** the sequence number after the last one in the partition; 1 where it holds none */
  readonly next: number;
  /** the furthest offsets that publications without transactions had applied */
  readonly applied: AppliedOffsets;
}

/**
 * What the verdicts partition says from sequence number `from` on, at read_committed: per payment and operation, the revisions in order.
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
  const published = new Map<string, { ref: PaymentRef; operations: Map<string, PublishedRevision[]> }>();
  let applied: AppliedOffsets = {};
  for (const { value, headers } of found) {
    const header = headers[APPLIED_HEADER];
    if (header !== undefined) applied = furthest(applied, JSON.parse(header) as AppliedOffsets);
    if (value === null) continue;
    const verdict = (await decode(value)) as VerdictRecord;
    let payment = published.get(verdict.payment_key);
    if (payment === undefined) {
      payment = { ref: refOf(verdict), operations: new Map() };
      published.set(verdict.payment_key, payment);
    }
    const revisions = payment.operations.get(verdict.operation_id) ?? [];
    revisions.push(revisionOf(verdict));
    payment.operations.set(verdict.operation_id, revisions);
  }
  return { published, next, applied };
};
