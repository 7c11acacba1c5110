import type { Clock } from '../ports/clock.ts';

/** So many points at once, and so many restored a second: Shopify's measure of queries, and with one point a call any rate. */
export class Allowance {
  readonly maximum: number;
  readonly restoredPerSecond: number;
  readonly #clock: Clock;
  #held: number;
  #at: number;

  constructor(maximum: number, restoredPerSecond: number, clock: Clock) {
    this.maximum = maximum;
    this.restoredPerSecond = restoredPerSecond;
    this.#clock = clock;
    this.#held = maximum;
    this.#at = clock.now();
  }

  get available(): number {
    const now = this.#clock.now();
    this.#held = Math.min(this.maximum, this.#held + ((now - this.#at) / 1000) * this.restoredPerSecond);
    this.#at = now;
    return this.#held;
  }

  /** Takes the points (0), or says in how many milliseconds there will be as many. */
  take(points: number): number {
    const short = points - this.available;
    if (short > 0) return Math.ceil((short / this.restoredPerSecond) * 1000);
    this.#held -= points;
    return 0;
  }
}
