import type { Clock } from '../../ports/clock.ts';

/** Takes `burst` at once and `ratePerSecond` in the long run. */
export class TokenBucket {
  readonly #ratePerMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor(ratePerSecond: number, burst: number, clock: Clock) {
    this.#ratePerMs = ratePerSecond / 1000;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.now();
  }

  /** 0 where one more is taken; else in how many milliseconds one will be. */
  take(): number {
    const now = this.#clock.now();
    // A clock that is set back gives nothing and takes nothing.
    if (now > this.#at) this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#ratePerMs);
    this.#at = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.ceil((1 - this.#tokens) / this.#ratePerMs);
  }
}
