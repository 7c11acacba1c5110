import type { Receipt, ReducePayment } from '../evaluator/index.ts';
import type { PendingVerdict, ShardId } from './shard-store.ts';

/** The end of a shard's chain of receipts: what the next one names. */
export interface ChainHead {
  /** of the last receipt; 0 where there is none */
  readonly sequence: number;
  /** its chain hash; null where there is none */
  readonly hash: string | null;
}

export const EMPTY_CHAIN: ChainHead = { sequence: 0, hash: null };

/** A receipt for the receipts log. */
export interface OutgoingReceipt {
  /** of the verdict that it seals */
  readonly verdict: PendingVerdict;
  /** compact JWS with the payload in it */
  readonly jws: string;
}

export interface SealedVerdicts {
  /** as they are to be published, in order */
  readonly verdicts: readonly PendingVerdict[];
  /** in chain order, which is the order of the verdicts */
  readonly receipts: readonly OutgoingReceipt[];
  readonly head: ChainHead;
}

/** A receipt that stands in the log already, without what it seals. */
export interface HeldReceipt {
  readonly verdictId: string;
  /** as the verdict record has it, with the detached JWS */
  readonly receipt: Receipt;
  /** the chain's head, were it the last one */
  readonly head: ChainHead;
}

/**
 * Seals verdicts, in two steps. With the decision, a verdict is linked to its operation's last receipt: that is part of the
 * state, and so of the commit. On publication it gets its place in the shard's chain, and the signature.
 */
export interface ReceiptSealer {
  /**
   * The reducer, with the links in its verdicts and states.
   *
   * @param held by verdict id, what was sealed of records that are applied again: it stands. A verdict that comes out
   * otherwise now has no receipt; the operation's next one still names the one that was sealed.
   */
  link(reduce: ReducePayment, held?: (verdictId: string) => HeldReceipt | undefined): ReducePayment;
  /**
   * Seals what is linked. The same verdicts after the same head are sealed with the same bytes. Throws RECEIPT_KEY_MISSING
   * where no key is valid for one of them, CONFIG_INVALID where the keys cannot be read.
   *
   * @param held by hash, receipts that stand in the log already: their verdicts are published with them, and sealed no second time
   */
  seal(
    shard: ShardId,
    head: ChainHead,
    verdicts: readonly PendingVerdict[],
    held?: ReadonlyMap<string, HeldReceipt>,
  ): Promise<SealedVerdicts>;
  /** Reads what stands in the shard's log; null where it is not a receipt that one of our keys has signed for this chain. */
  open(shard: ShardId, jws: string): Promise<HeldReceipt | null>;
}
