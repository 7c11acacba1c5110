import { LRUCache } from 'lru-cache';
import { type EpochMs, type PaymentState, unresolvedSince } from '../../evaluator/index.ts';
import { decodeState, encodeState } from '../../records/state-codec.ts';
import { packState, unpackState } from '../packed-state.ts';
import { IndexedHeap } from './indexed-heap.ts';
import { TextSlab } from './text-slab.ts';

interface LivePayment {
  readonly slot: number;
  readonly state: PaymentState;
}

const bySlot = (a: number, b: number): number => a - b;

/**
 * Every payment of one run, written back late: the most recently used states are live, the others are text outside the heap,
 * compressed where they are settled.
 * Nothing expires: a log need not be in the order of time, and a payment whose time has passed may still be told of. The owner is alone (no claim, no fence, nothing to lose but the run), which is what makes `replay` cheap:
 * a payment is serialised when it grows cold and not at each of its records.
 */
export class WriteBackTable {
  readonly #live: LRUCache<string, LivePayment>;
  readonly #slots = new Map<string, number>();
  readonly #keys: string[] = [];
  /** slot → its state as it was when it was last evicted */
  readonly #cold = new TextSlab();
  readonly #evaluations = new IndexedHeap(bySlot);

  /** @param liveLimit how many states are kept live */
  constructor(liveLimit = 4096) {
    this.#live = new LRUCache<string, LivePayment>({
      max: liveLimit,
      dispose: ({ slot, state }, _key, reason) => {
        if (reason === 'evict') this.#cold.set(slot, packState(encodeState(state), unresolvedSince(state) === null));
      },
    });
  }

  /** payments held */
  get size(): number {
    return this.#slots.size;
  }

  get(paymentKey: string): PaymentState | null {
    const live = this.#live.get(paymentKey);
    if (live !== undefined) return live.state;
    const slot = this.#slots.get(paymentKey);
    const packed = slot === undefined ? null : this.#cold.bytesOf(slot);
    return packed === null ? null : decodeState(unpackState(paymentKey, packed));
  }

  /** @param evaluateAt when it must be evaluated again without a record; null: never */
  set(paymentKey: string, state: PaymentState, evaluateAt: EpochMs | null): void {
    let slot = this.#slots.get(paymentKey);
    if (slot === undefined) {
      slot = this.#keys.length;
      this.#slots.set(paymentKey, slot);
      this.#keys[slot] = paymentKey;
    }
    this.#live.set(paymentKey, { slot, state });
    if (evaluateAt === null) this.#evaluations.delete(slot);
    else this.#evaluations.set(slot, evaluateAt);
  }

  /** The payment whose evaluation is soonest and due by `upTo`; it stays due until it is set anew. */
  nextDue(upTo: EpochMs): { readonly paymentKey: string; readonly at: EpochMs } | null {
    const slot = this.#evaluations.first();
    const at = slot === -1 ? null : this.#evaluations.at(slot);
    return at === null || at > upTo ? null : { paymentKey: this.#keys[slot] ?? '', at };
  }
}
