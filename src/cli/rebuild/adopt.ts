import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { stateWrite } from '../../consumers/commit.ts';
import { amendForJudgement } from '../../consumers/replayed-payments.ts';
import type { PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import { readTopic } from '../../drivers/kafka/read-partition.ts';
import { revisionOf, type VerdictDecoder } from '../../drivers/kafka/verdict-tail.ts';
import type { EpochMs, PaymentState, VerdictRecord } from '../../evaluator/index.ts';
import type { ShardStore, StateWrite } from '../../ports/shard-store.ts';
import { isAuthorityKey } from '../../records/authority-key.ts';
import { partitionOfKey } from '../../records/partition.ts';
import { encodeState } from '../../records/state-codec.ts';
import type { StateBuild } from './build.ts';
import type { TargetShard } from './target-shard.ts';

const PAGE = 500;

/** The write of a state as it is at `now`: with the reads that it wants and the time that it is to be kept. */
const writeOf = ({ contracts, reduce }: BatchDeps, key: string, state: PaymentState, now: EpochMs): StateWrite => {
  const ref = { provider: state.provider, account: state.account, paymentId: state.paymentId };
  // Not evaluated here: what differs from what was published is for the new owner to publish.
  const input = { ref, state: { ...state, evaluateAt: null }, observations: [], appliedAt: [], now };
  const { reads, expiresAt } = reduce(contracts, input);
  const { evaluateAt } = state;
  return stateWrite(key, encodeState(state), {
    state,
    expiresAt: evaluateAt === null ? expiresAt : null,
    evaluateAt,
    reads,
  });
};

/** Gives every state the time that it has left at `now`, and drops those that have none: they were written at their own times. */
export const settleExpiry = async (
  deps: BatchDeps,
  store: ShardStore,
  shard: TargetShard,
  now: EpochMs,
): Promise<void> => {
  let keys: string[] = [];
  const flush = async (): Promise<void> => {
    const page = [...new Set(keys)];
    keys = [];
    const states = await shard.load(page, now);
    const writes = page.flatMap((key, index) => {
      const state = states[index] ?? null;
      return state === null ? [] : [writeOf(deps, key, state, now)];
    });
    if (writes.length > 0) await shard.write(writes, now);
  };
  for await (const { paymentKey } of store.scan(shard.id)) {
    if (isAuthorityKey(paymentKey)) continue;
    keys.push(paymentKey);
    if (keys.length >= PAGE) await flush();
  }
  await flush();
};

/** The state with a revision as it was published in the place of what the rebuild came to. */
export const withPublished = (state: PaymentState, verdict: VerdictRecord, now: EpochMs): PaymentState => {
  const operation = state.operations[verdict.operation_id];
  if (operation === undefined) return state;
  const before = operation.published.filter(({ revision }) => revision < verdict.revision);
  const operations = { ...state.operations, [verdict.operation_id]: { ...operation, published: before } };
  const ref = { provider: state.provider, account: state.account, paymentId: state.paymentId };
  const revisions = new Map([[verdict.operation_id, [revisionOf(verdict)]]]);
  const published = new Map([[verdict.payment_key, { ref, operations: revisions }]]);
  return amendForJudgement(published, verdict.payment_key, { ...state, operations }, now) ?? state;
};

/**
 * Puts into the rebuilt states what the verdicts topic says was published, so that a new owner counts its revisions on from there,
 * and publishes only what differs.
 */
export const adoptPublished = async (
  deps: BatchDeps,
  build: StateBuild,
  reader: PartitionReader,
  topic: string,
  decode: VerdictDecoder,
  now: EpochMs,
): Promise<number> => {
  let adopted = 0;
  for await (const records of readTopic(reader, topic)) {
    const byShard = new Map<number, Map<string, VerdictRecord[]>>();
    for (const { value } of records) {
      if (value === null) continue;
      const verdict = (await decode(value)) as VerdictRecord;
      const id = partitionOfKey(verdict.payment_key, build.shards.length);
      const payments = byShard.get(id) ?? new Map<string, VerdictRecord[]>();
      payments.set(verdict.payment_key, [...(payments.get(verdict.payment_key) ?? []), verdict]);
      byShard.set(id, payments);
    }
    for (const [id, payments] of byShard) {
      const shard = build.shard(id);
      const keys = [...payments.keys()];
      for (let from = 0; from < keys.length; from += PAGE) {
        const page = keys.slice(from, from + PAGE);
        const states = await shard.load(page, now);
        const writes = page.flatMap((key, index) => {
          const state = states[index] ?? null;
          if (state === null) return [];
          const verdicts = payments.get(key) ?? [];
          adopted += verdicts.length;
          return [
            writeOf(
              deps,
              key,
              verdicts.reduce((one, verdict) => withPublished(one, verdict, now), state),
              now,
            ),
          ];
        });
        if (writes.length > 0) await shard.write(writes, now);
      }
    }
  }
  return adopted;
};
