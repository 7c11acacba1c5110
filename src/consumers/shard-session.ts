import type { PaymentState } from '../evaluator/index.ts';
import type { ShardOffsets } from '../ports/input-log.ts';
import type { ShardClaim, ShardStore } from '../ports/shard-store.ts';
import type { Replay, VerdictPublisher } from '../ports/verdict-publisher.ts';
import { partitionOfKey } from '../records/partition.ts';
import type { BatchOwner } from './process-batch.ts';
import { amendState } from './replayed-payments.ts';
import type { ShardDeps } from './shard-deps.ts';
import type { StateCache } from './state-cache.ts';
import { StreamTime } from './stream-time.ts';

/** An idle owner asks its store this often whether it is still what it was. */
const CONFIRM_AFTER_MS = 10_000;

/**
 * A shard in the hands of this process, from one take-over to the first thing that goes wrong: then all of it is dropped
 * and the shard is taken anew.
 */
export class ShardSession implements BatchOwner {
  readonly shard: number;
  readonly store: ShardStore;
  readonly cache: StateCache;
  readonly publisher: VerdictPublisher;
  readonly streamTime: StreamTime;
  readonly partitionOf: (paymentKey: string) => number;
  /** topic → the next offset to apply */
  readonly positions: Map<string, bigint>;
  claim: ShardClaim;
  replay: Replay | null;
  /** no evaluation is due before this; null: none is due at all */
  nextDue: number | null;
  /** the store was where we are at this commit, and nothing was committed since `at` */
  #confirmed: { readonly sequence: number; readonly at: number };

  constructor(
    deps: ShardDeps,
    publisher: VerdictPublisher,
    cache: StateCache,
    taken: {
      readonly claim: ShardClaim;
      readonly streamTime: number;
      readonly positions: ShardOffsets;
      readonly replay: Replay | null;
      readonly nextDue: number | null;
    },
  ) {
    this.shard = taken.claim.shard;
    this.store = deps.store;
    this.cache = cache;
    this.publisher = publisher;
    this.streamTime = new StreamTime(deps.log.topics, taken.streamTime);
    this.positions = new Map(taken.positions);
    this.claim = taken.claim;
    this.replay = taken.replay;
    this.nextDue = taken.nextDue;
    this.#confirmed = { sequence: -1, at: 0 };
    this.partitionOf = (paymentKey) => partitionOfKey(paymentKey, deps.partitions);
  }

  /** bound: the stages take it off its object */
  readonly amend = (paymentKey: string, state: PaymentState | null): PaymentState | null =>
    this.replay === null ? state : amendState(this.replay.published, paymentKey, state);

  /** An evaluation has been asked for at this instant. */
  expect(at: number | null): void {
    if (at !== null && (this.nextDue === null || at < this.nextDue)) this.nextDue = at;
  }

  get isEvaluationDue(): boolean {
    return this.replay === null && this.nextDue !== null && this.nextDue <= this.streamTime.now;
  }

  /** Nothing has been committed for so long that the store could have gone back in time without our notice. */
  isUnconfirmed(at: number): boolean {
    const { sequence } = this.claim;
    if (sequence !== this.#confirmed.sequence) this.#confirmed = { sequence, at };
    return at - this.#confirmed.at >= CONFIRM_AFTER_MS;
  }
}
