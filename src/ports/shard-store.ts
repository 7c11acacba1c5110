import type { DueRead, EpochMs, VerdictRecord } from '../evaluator/index.ts';
import type { HANDOFFS_TOPIC } from '../records/topics.ts';

/** One partition's payments: the unit of ownership and of the atomic commit. */
export type ShardId = number;

/** topic → the offset after the last applied one, decimal text ("0" where nothing was applied) */
export type AppliedOffsets = Readonly<Record<string, string>>;

/** What an owner knows about its shard. Every commit carries it; the store writes only if all of it is still true. */
export interface ShardClaim {
  readonly shard: ShardId;
  /** `n:owner`, made by the store at the claim; n only grows. Unique for ever: a bare counter can be issued twice after a failover */
  readonly token: string;
  /** commits so far */
  readonly sequence: number;
  readonly applied: AppliedOffsets;
  /**
   * Sequence number that the next pending verdict gets; the first is 1. An owner may raise it (after a rewind, past the
   * published position) and commit with that; lower than the stored one is `rewound`.
   */
  readonly nextVerdict: number;
}

export interface StateWrite {
  readonly paymentKey: string;
  /** the serialised payment state */
  readonly value: string;
  /** in stream time; at or before the commit's stream time the payment is dropped with its queue entries. Null: it is kept */
  readonly expiresAt: EpochMs | null;
  /** replaces the payment's entry in the evaluation queue; null removes it */
  readonly evaluateAt: EpochMs | null;
  /** replace the payment's entries in the read queue */
  readonly reads: readonly DueRead[];
  /** when the oldest of its operations began that is still PENDING; absent: none is */
  readonly unresolvedSince?: EpochMs;
}

export interface PendingVerdict {
  readonly sequence: number;
  /** the output topic without its prefix; left out: `verdicts` */
  readonly topic?: typeof HANDOFFS_TOPIC;
  /** the record key, `<payment key>/<operation id>` (of an answer to a request: `<payment key>/<handoff id>`) */
  readonly key: string;
  /** the JSON of the record */
  readonly value: string;
  /** W3C trace context of the record that caused it */
  readonly traceparent: string | null;
  /** what a text was printed from, left out where that is no longer at hand; it holds while `value` is still that text */
  readonly printed?: { readonly text: string; readonly record: VerdictRecord };
}

export interface ShardCommit {
  readonly claim: ShardClaim;
  readonly writes: readonly StateWrite[];
  readonly applied: AppliedOffsets;
  readonly verdicts: readonly Omit<PendingVerdict, 'sequence'>[];
  /** the stream time reached; stored with the state, never goes back */
  readonly streamTime: EpochMs;
}

/**
 * - `committed`: all of it is written; the new claim is returned.
 * - `already`: this very commit was written before (a re-sent call); the new claim is returned.
 * - `fenced`: another owner took the shard. Stop.
 * - `rewound`: the store went back in time (a failover lost its last writes). Drop the cache, claim anew, seek.
 */
export type CommitResult =
  | { readonly outcome: 'committed' | 'already'; readonly claim: ShardClaim }
  | { readonly outcome: 'fenced' | 'rewound' };

export interface ClaimedRead extends DueRead {
  readonly shard: ShardId;
  readonly paymentKey: string;
  /** names the lease; completing or failing the read gives it back */
  readonly lease: string;
}

/**
 * State per payment, the due queues, pending verdicts and applied offsets of every shard. One shard's parts change together
 * or not at all. Drivers: `drivers/memory`, `drivers/redis`; `test/conformance/shard-store.ts` runs over both.
 */
export interface ShardStore {
  /**
   * Writes a fresh owner token `n:owner` and returns it in the claim; the former owner's next commit answers `fenced`.
   * `owner` must be unique for ever (a UUID for each claim).
   */
  claim(shard: ShardId, owner: string): Promise<ShardClaim & { readonly streamTime: EpochMs }>;
  /** Whether `token` still owns the shard. */
  owns(shard: ShardId, token: string): Promise<boolean>;
  /** The serialised states, in the order asked; null where there is none or it has expired. */
  load(shard: ShardId, paymentKeys: readonly string[]): Promise<(string | null)[]>;
  commit(commit: ShardCommit): Promise<CommitResult>;
  /** Payment keys whose evaluation is due at or before `upTo`, soonest first. Reading removes nothing. */
  dueEvaluations(
    shard: ShardId,
    upTo: EpochMs,
    limit: number,
  ): Promise<readonly { paymentKey: string; dueAt: EpochMs }[]>;
  /** The earliest due evaluation, for health and for sleeping. */
  nextEvaluation(shard: ShardId): Promise<EpochMs | null>;
  /** When the shard's oldest operation began that is still PENDING; null: none is. Costs one look, whatever the shard holds. */
  oldestUnresolved(shard: ShardId): Promise<EpochMs | null>;
  pendingVerdicts(shard: ShardId, limit: number): Promise<readonly PendingVerdict[]>;
  /** Drops pending verdicts up to and with `sequence`; a no-op for one who no longer owns the shard. */
  trimVerdicts(shard: ShardId, token: string, sequence: number): Promise<void>;
  /** Leases up to `limit` due reads of the shard until `leaseUntil`; a lease that runs out makes the read due again. */
  claimReads(shard: ShardId, upTo: EpochMs, leaseUntil: EpochMs, limit: number): Promise<readonly ClaimedRead[]>;
  /**
   * Gives a lease back: the read is due again at `dueAt`, or done (null: the commit that applies its answer decides anew).
   * A commit that states the very same read again (it knows nothing of the call yet) leaves lease and `dueAt` in force, and
   * holds a done one back until its lease would have ended. A no-op where the read was replaced or, its lease over, claimed by another.
   */
  releaseRead(read: ClaimedRead, dueAt: EpochMs | null): Promise<void>;
  /** The payments of a shard, for `rebuild` and `review`. A payment may be told twice, one written meanwhile or not at all. */
  scan(shard: ShardId): AsyncIterable<{ paymentKey: string; value: string }>;
  /** Stores the topics' partition count the first time; throws CONFIG_INVALID when the stored one differs. */
  checkPartitionCount(count: number): Promise<void>;
  close(): Promise<void>;
}
