import type { ChainHead, HeldReceipt } from './receipt-sealer.ts';

/** One shard's receipts where there is no Kafka: all of them, in chain order. */
export interface ReceiptStore {
  /** the end of the chain when the store was opened */
  readonly head: ChainHead;
  /** what it held then, in order */
  readonly held: readonly HeldReceipt[];
  /** Adds receipts, compact JWS, in order. They are kept when it returns. Throws JOURNAL_UNWRITABLE. */
  append(receipts: readonly string[]): void;
}
