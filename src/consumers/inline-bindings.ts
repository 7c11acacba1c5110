import type { EpochMs } from '../evaluator/index.ts';
import type { HandoffBound } from '../records/records.ts';
import { type BindableRequest, type BoundTo, boundRecord, KEPT_AFTER_MS } from './bind-authorities.ts';

/** Bindings that have ended are looked for after so many new ones. */
const SWEEP_EVERY = 1_000;

/**
 * Binds authorities where one shard holds everything, authorities and payments: at the request's own place among the records, so
 * that what comes after it finds it decided. Kept in memory, since the log that it comes from is read from its beginning.
 */
export class InlineBindings {
  readonly #held = new Map<string, { readonly boundTo: BoundTo; readonly expiresAt: EpochMs }>();
  #added = 0;

  bind(one: BindableRequest, now: EpochMs): HandoffBound {
    const { authorityKey: key, claim } = one;
    if (key === null) return boundRecord(one, null);
    if (claim !== null && !this.#held.has(key)) {
      const boundTo = { payment_key: claim.paymentKey, request_digest: claim.requestDigest };
      this.#held.set(key, { boundTo, expiresAt: claim.expiresAt + KEPT_AFTER_MS });
      this.#added += 1;
      if (this.#added % SWEEP_EVERY === 0) this.#sweep(now);
    }
    return boundRecord(one, this.#held.get(key)?.boundTo ?? null);
  }

  #sweep(now: EpochMs): void {
    for (const [key, { expiresAt }] of this.#held) if (expiresAt <= now) this.#held.delete(key);
  }
}
