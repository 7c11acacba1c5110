import type { ReducePayment } from '../../evaluator/index.ts';
import type { ChainHead, HeldReceipt, ReceiptSealer } from '../../ports/receipt-sealer.ts';
import type { ReceiptStore } from '../../ports/receipt-store.ts';
import type { PendingVerdict } from '../../ports/shard-store.ts';

const SHARD = 0;

/** What seals the verdicts of an embedded pipeline, and where the receipts go. */
export interface EmbeddedReceipts {
  readonly sealer: ReceiptSealer;
  readonly store: ReceiptStore;
}

/**
 * Seals an embedded pipeline's verdicts. While its journal is replayed, what was sealed before stands: the same verdict comes
 * out with the receipt that it has.
 */
export class EmbeddedSeals {
  readonly #sealer: ReceiptSealer;
  readonly #store: ReceiptStore;
  #head: ChainHead;
  /** what the store held; only until the journal is replayed */
  #byId: ReadonlyMap<string, HeldReceipt>;
  #byHash: ReadonlyMap<string, HeldReceipt>;

  constructor({ sealer, store }: EmbeddedReceipts) {
    this.#sealer = sealer;
    this.#store = store;
    this.#head = store.head;
    this.#byId = new Map(store.held.map((one) => [one.verdictId, one]));
    this.#byHash = new Map(store.held.map((one) => [one.receipt.hash, one]));
  }

  link(reduce: ReducePayment): ReducePayment {
    return this.#sealer.link(reduce, (verdictId) => this.#byId.get(verdictId));
  }

  /** The verdicts with their receipts, which are kept before anybody hears of the verdicts. */
  async seal(pending: readonly PendingVerdict[]): Promise<readonly PendingVerdict[]> {
    const { verdicts, receipts, head } = await this.#sealer.seal(SHARD, this.#head, pending, this.#byHash);
    if (receipts.length > 0) this.#store.append(receipts.map(({ jws }) => jws));
    this.#head = head;
    return verdicts;
  }

  /** The journal is replayed: every further verdict is new. */
  recovered(): void {
    this.#byId = new Map();
    this.#byHash = new Map();
  }
}
