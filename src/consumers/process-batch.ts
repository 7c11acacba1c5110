import { droppedCount, type EpochMs, type PaymentState } from '../evaluator/index.ts';
import { TRACEPARENT_HEADER } from '../ports/consumed-record.ts';
import type { ForwardedRequest } from '../ports/forward-sink.ts';
import type { ShardClaim, ShardCommit, ShardId, ShardStore, StateWrite } from '../ports/shard-store.ts';
import { admitRecords, type Reach, type Rekey } from './admit-records.ts';
import type { BatchCounts } from './batch-counts.ts';
import type { BatchDeps } from './batch-deps.ts';
import { bindAuthorities } from './bind-authorities.ts';
import { advanceOffsets, buildCommit, type WrittenState } from './commit.ts';
import { type DeadLetter, type DecodedRecord, isUndecodable, type Undecodable } from './decoded-record.ts';
import type { PaymentGroup } from './group.ts';
import type { InlineBindings } from './inline-bindings.ts';
import { loadStates } from './load.ts';
import { type ReducedPayment, reduceGroups } from './reduce-groups.ts';
import type { StateCache } from './state-cache.ts';

/** What the stages know about the shard they work for. Whoever owns the shard keeps it up to date after each commit. */
export interface BatchOwner {
  readonly shard: ShardId;
  readonly store: Pick<ShardStore, 'load' | 'dueEvaluations'>;
  readonly cache: StateCache;
  readonly claim: ShardClaim;
  /** the partition of a payment key; null where there are no partitions */
  readonly partitionOf: ((paymentKey: string) => number) | null;
  /** Binds authorities on the spot, where one shard holds everything. */
  readonly bindings?: InlineBindings;
  /** After a rewind: puts into a loaded state what was already published of it. */
  readonly amend?: (paymentKey: string, state: PaymentState | null) => PaymentState | null;
}

export interface ProcessedBatch {
  /** goes to the store as it is; the owner's cache takes {@link written} once it is committed */
  readonly commit: ShardCommit;
  readonly written: readonly WrittenState[];
  /** must be acknowledged before the commit: their offsets are in it */
  readonly deadLetters: readonly DeadLetter[];
  /** must be acknowledged before the commit: their offsets are in it */
  readonly rekeys: readonly Rekey[];
  /** must be acknowledged before the commit: what binds their authorities is in it */
  readonly forwards: readonly ForwardedRequest[];
  /** references of charge receipts, to be found by before the commit makes them count */
  readonly charges: readonly { readonly receiptRef: string; readonly paymentKey: string }[];
  readonly counts: BatchCounts;
}

const amended = (
  owner: BatchOwner,
  keys: readonly string[],
  states: (PaymentState | null)[],
): (PaymentState | null)[] => {
  const { amend } = owner;
  return amend === undefined ? states : states.map((state, index) => amend(keys[index] ?? '', state));
};

const traceparentOf = (record: DecodedRecord | Undecodable | undefined): string | null =>
  record === undefined || isUndecodable(record) ? null : (record.headers[TRACEPARENT_HEADER] ?? null);

const countRepeats = (
  counts: BatchCounts,
  payments: readonly ReducedPayment[],
  before: readonly (PaymentState | null)[],
): void => {
  for (const [index, { ref, step }] of payments.entries()) {
    const held = before[index] ?? null;
    if (step.state.dropped === held?.dropped) continue;
    counts.addRepeats(ref.provider, droppedCount(step.state) - (held === null ? 0 : droppedCount(held)));
  }
};

const chargesOf = ({ key, observations }: PaymentGroup): ProcessedBatch['charges'] =>
  observations.flatMap((seen) =>
    seen.kind === 'receipt' && seen.of === 'charge' ? [{ receiptRef: seen.receiptRef, paymentKey: key }] : [],
  );

/**
 * Takes a batch of one shard's records, in log order, through admit, group, load, reduce and commit. Writes nothing: the
 * caller dead-letters and re-keys first, then commits. A crash before the commit changes nothing.
 * @param now the stream time reached when the batch is applied; read after the last record was reached
 */
export const processBatch = async (
  deps: BatchDeps,
  owner: BatchOwner,
  records: readonly (DecodedRecord | Undecodable)[],
  reach: Reach,
  now: () => EpochMs,
): Promise<ProcessedBatch> => {
  const admitted = admitRecords(deps, records, { reach, partitionOf: owner.partitionOf, bindings: owner.bindings });
  const streamTime = now();
  const bound = await bindAuthorities(owner.store, owner.shard, admitted.bindable, traceparentOf);
  const groups = admitted.groups.list();
  const keys = groups.map((group) => group.key);
  const states = amended(owner, keys, await loadStates(owner.store, owner.shard, owner.cache, keys, streamTime));
  const { payments, rejected } = reduceGroups(deps.reduce, deps.contracts, groups, states, streamTime);
  for (const { index, code } of rejected) admitted.counts.add(admitted.kinds[index] ?? 'unknown', code);
  countRepeats(admitted.counts, payments, states);
  const { commit, written } = buildCommit(
    owner.claim,
    payments,
    advanceOffsets(
      owner.claim.applied,
      records.map(({ source }) => source),
    ),
    streamTime,
    (index) => traceparentOf(records[index]),
  );
  return {
    commit: bound.writes.length === 0 ? commit : { ...commit, writes: [...commit.writes, ...bound.writes] },
    written,
    deadLetters: [...admitted.deadLetters, ...rejected],
    rekeys: admitted.rekeys,
    forwards: bound.forwards,
    charges: groups.flatMap(chargesOf),
    counts: admitted.counts,
  };
};

/** One payment without a new record: every evaluation that fell due by `upTo`, each at its own instant. */
export const evaluatePassedTime = (
  deps: Pick<BatchDeps, 'contracts' | 'reduce'>,
  key: string,
  state: PaymentState,
  upTo: EpochMs,
): ReducedPayment => {
  const ref = { provider: state.provider, account: state.account, paymentId: state.paymentId };
  const step = deps.reduce(deps.contracts, { ref, state, observations: [], appliedAt: [], now: upTo });
  if (step.evaluateAt !== null && step.evaluateAt <= upTo) {
    throw new TypeError(`the evaluation of ${key} at ${upTo} asks for another at ${step.evaluateAt}`);
  }
  return { key, ref, step, causes: step.verdicts.map(() => null) };
};

/**
 * Evaluates payments whose time has come by `upTo`, at most `limit` of them, soonest first; null when none is due. Call it again
 * after the commit until it answers null.
 */
export const evaluateDue = async (
  deps: BatchDeps,
  owner: BatchOwner,
  upTo: EpochMs,
  limit = 500,
): Promise<Pick<ProcessedBatch, 'commit' | 'written'> | null> => {
  const due = await owner.store.dueEvaluations(owner.shard, upTo, limit);
  if (due.length === 0) return null;
  const keys = due.map(({ paymentKey }) => paymentKey);
  const states = amended(owner, keys, await loadStates(owner.store, owner.shard, owner.cache, keys, upTo));
  const payments: ReducedPayment[] = [];
  const gone: StateWrite[] = [];
  for (const [index, state] of states.entries()) {
    const key = keys[index] ?? '';
    if (state === null) {
      // Expired while it waited: a write that has expired takes the entry out of the queue.
      gone.push({ paymentKey: key, value: '', expiresAt: upTo, evaluateAt: null, reads: [] });
      continue;
    }
    payments.push(evaluatePassedTime(deps, key, state, upTo));
  }
  const { commit, written } = buildCommit(owner.claim, payments, owner.claim.applied, upTo, () => null);
  return { commit: { ...commit, writes: [...commit.writes, ...gone] }, written };
};
