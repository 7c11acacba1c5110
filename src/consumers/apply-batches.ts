import type { ConsumedRecord } from '../ports/consumed-record.ts';
import { countBatch } from './batch-counts.ts';
import { type Committed, commitShard } from './commit-shard.ts';
import type { Slice } from './cut-runs.ts';
import { decodeRecords } from './decode-records.ts';
import { type ProcessedBatch, processBatch } from './process-batch.ts';
import { reduceSilently } from './replayed-payments.ts';
import type { ShardDeps } from './shard-deps.ts';
import type { ShardSession } from './shard-session.ts';
import { appliedOffsets } from './start-offsets.ts';

const count = ({ metrics }: ShardDeps, { counts, deadLetters }: ProcessedBatch): void => {
  countBatch(metrics, counts);
  for (const { code } of deadLetters) metrics.deadLetters.inc({ code });
};

/** Requests go to their payment's partition, and charge receipts are made findable. Both are harmless twice. */
const passOn = async (
  { forwards: sink, charges: index }: ShardDeps,
  forwards: ProcessedBatch['forwards'],
  charges: ProcessedBatch['charges'],
): Promise<void> => {
  if (forwards.length > 0) {
    if (sink === undefined)
      throw new TypeError('requests for a plan came in and there is nothing to pass them on with');
    await sink.write(forwards);
  }
  for (const { receiptRef, paymentKey } of charges) await index?.add(receiptRef, paymentKey);
};

/** Poison and strays are kept elsewhere before the commit that applies their offsets. */
const setAside = async (
  deps: ShardDeps,
  records: readonly ConsumedRecord[],
  { deadLetters, rekeys, forwards, charges }: ProcessedBatch,
): Promise<void> => {
  const recordAt = (index: number): ConsumedRecord => {
    const record = records[index];
    if (record === undefined) throw new TypeError(`a batch of ${records.length} records has none at ${index}`);
    return record;
  };
  if (deadLetters.length > 0) {
    await deps.faults.hit('before-dead-letter');
    await deps.deadLetters.write(
      deadLetters.map(({ index, code, reason }) => ({ record: recordAt(index), code, reason })),
    );
    await deps.faults.hit('after-dead-letter');
  }
  if (rekeys.length > 0) {
    await deps.rekeys.write(
      rekeys.map(({ index, paymentKey, partition }) => ({ record: recordAt(index), paymentKey, partition })),
    );
  }
  await passOn(deps, forwards, charges);
};

/** Takes one run of records through every stage: decode, process, dead-letter and re-key, commit, publish. */
export const applySlices = async (
  deps: ShardDeps,
  session: ShardSession,
  slices: readonly Slice[],
): Promise<Committed> => {
  const { batch, faults } = deps;
  const { streamTime, replay } = session;
  const records = slices.flatMap((slice) => slice.records);
  const fetchedAt = Math.min(...slices.map((slice) => slice.fetchedAt));
  await faults.hit('before-decode');
  const decoded = await decodeRecords(records, deps.decode);
  await faults.hit('after-decode');

  const processed = await processBatch(
    replay === null ? batch : { ...batch, reduce: reduceSilently(batch.reduce, replay.published) },
    session,
    decoded,
    ({ source, timestamp }) => streamTime.applied(source.topic, timestamp ?? fetchedAt, fetchedAt),
    () => {
      for (const { topic, next, end } of slices) if (next >= end) streamTime.caughtUp(topic, fetchedAt);
      return streamTime.now;
    },
  );
  await setAside(deps, records, processed);

  const reached = new Map(slices.map(({ topic, next }) => [topic, next]));
  const commit = { ...processed.commit, applied: appliedOffsets(new Map([...session.positions, ...reached])) };
  const committed = await commitShard(deps, session, commit, processed.written, () => count(deps, processed));
  // These alone: another topic may have gone past markers meanwhile, and nothing would come again to take it there.
  if (committed === 'done') for (const [topic, next] of reached) session.positions.set(topic, next);
  return committed;
};
