import type { HandoffDecided, PaymentRef, VerdictRecord } from '../evaluator/index.ts';
import type { AppliedOffsets, PendingVerdict, ShardClaim } from './shard-store.ts';

/** What a published verdict says that the reducer compares with and reviews answer. */
export type PublishedRevision = Pick<VerdictRecord, 'revision' | 'verdict' | 'class' | 'reason' | 'detail'> & {
  readonly moneyMoved: boolean | null;
  /** how many duplicates it named */
  readonly duplicates: number;
  /** its advice and findings, as `toldOf` says them */
  readonly told: string;
  /** milliseconds since the epoch */
  readonly decidedAt: number;
  /** the hash of its receipt; null where it has none */
  readonly receipt: string | null;
};

/** What was published of one payment. */
export interface PublishedPayment {
  readonly ref: PaymentRef;
  /** operation id → its revisions, oldest first */
  readonly operations: ReadonlyMap<string, readonly PublishedRevision[]>;
  /** answers to requests for a plan, in their order; left out: there are none */
  readonly handoffs?: readonly HandoffDecided[];
}

/** Payment key → what was published of it. */
export type PublishedPayments = ReadonlyMap<string, PublishedPayment>;

/**
 * The store went back in time: its states are older than what readers of the verdicts topic have seen. Records up to
 * `until` are applied again, and what they come to must be compared with `published`.
 */
export interface Replay {
  readonly until: AppliedOffsets;
  readonly published: PublishedPayments;
}

export type TakeOver =
  | { readonly outcome: 'fenced' }
  | {
      readonly outcome: 'ready';
      /** the sequence number from which this owner's next commit counts its verdicts */
      readonly nextVerdict: number;
      readonly replay: Replay | null;
    };

/**
 * Publishes one shard's pending verdicts. Drivers throw a retryable OperatingError where the broker fails; the owner then
 * takes over anew before it publishes again.
 */
export interface VerdictPublisher {
  /** Ends whatever a former owner left open, publishes what is pending and trims it. Goes right after the claim. */
  takeOver(claim: ShardClaim): Promise<TakeOver>;
  /**
   * Publishes what a commit left pending, and trims it. `claim` is the claim after that commit. `isReplaying`: the take-over
   * gave a {@link Replay} that is not through; a next owner then gets one too. Without verdicts it only says that it is through.
   */
  publish(
    claim: ShardClaim,
    verdicts: readonly PendingVerdict[],
    isReplaying: boolean,
  ): Promise<'published' | 'fenced'>;
  close(): Promise<void>;
}
