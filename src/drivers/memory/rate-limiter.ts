import type { Clock } from '../../ports/clock.ts';
import type { Rate, RateLimiter } from '../../ports/rate-limiter.ts';

/** Token buckets of one process, as the generic cell rate algorithm keeps them: one instant a key. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #clock: Clock;
  /** key → when the bucket will be full again */
  readonly #fullAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async take(key: string, { perSecond, burst }: Rate): Promise<number> {
    const now = this.#clock.now();
    const intervalMs = 1000 / perSecond;
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now);
    const waitMs = fullAt - (burst - 1) * intervalMs - now;
    // A thousandth of a millisecond is rounding, not a call too many.
    if (waitMs > 0.001) return Math.ceil(waitMs);
    this.#fullAt.set(key, fullAt + intervalMs);
    return 0;
  }

  async hold(key: string, { perSecond, burst }: Rate, ms: number): Promise<void> {
    const until = this.#clock.now() + ms + ((burst - 1) * 1000) / perSecond;
    this.#fullAt.set(key, Math.max(this.#fullAt.get(key) ?? until, until));
  }
}
