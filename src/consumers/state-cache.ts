import { LRUCache } from 'lru-cache';
import type { EpochMs, PaymentState } from '../evaluator/index.ts';

interface CachedState {
  readonly state: PaymentState;
  readonly expiresAt: EpochMs | null;
}

/**
 * The live states an owner keeps beside its store: bounded by count and by size, least recently used out first. Only what
 * is committed goes in, so that dropping all of it is always safe.
 */
export class StateCache {
  readonly #live: LRUCache<string, CachedState>;

  /** @param limits `entries` payments of together at most `chars` characters of serialised state */
  constructor(limits: { readonly entries: number; readonly chars: number }) {
    this.#live = new LRUCache({ max: limits.entries, maxSize: limits.chars });
  }

  /** The state if it is here and has not expired at `now`; undefined: ask the store. */
  get(paymentKey: string, now: EpochMs): PaymentState | undefined {
    const cached = this.#live.get(paymentKey);
    if (cached === undefined || (cached.expiresAt !== null && cached.expiresAt <= now)) return undefined;
    return cached.state;
  }

  set(paymentKey: string, state: PaymentState, expiresAt: EpochMs | null, chars: number): void {
    this.#live.set(paymentKey, { state, expiresAt }, { size: Math.max(1, chars) });
  }

  /** After a fence or a rewind: what is here may never have been. */
  clear(): void {
    this.#live.clear();
  }

  get size(): number {
    return this.#live.size;
  }
}
