import type { Clock } from '../../ports/clock.ts';

export interface BreakerOptions {
  /** failures in a row that open it */
  readonly failures: number;
  /** how long it stays open the first time; each failed trial doubles it */
  readonly pauseMs: number;
  readonly pauseMaxMs: number;
}

/**
 * Keeps an account's provider from being called while it only fails: open after several failures in a row, then one trial at a
 * time, closed by the first success.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #options: BreakerOptions;
  #failures = 0;
  #openUntil: number | null = null;
  #pauseMs: number;
  #isTrying = false;

  constructor(clock: Clock, options: BreakerOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#pauseMs = options.pauseMs;
  }

  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /** Milliseconds until a call could be made; 0: now. While a trial runs the others wait for one more pause. */
  waitMs(): number {
    if (this.#openUntil === null) return 0;
    if (this.#isTrying) return this.#options.pauseMs;
    return Math.max(0, this.#openUntil - this.#clock.now());
  }

  /** Before a call, when {@link waitMs} says 0. Each is followed by one of the three below. */
  enter(): void {
    if (this.#openUntil !== null) this.#isTrying = true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openUntil = null;
    this.#isTrying = false;
    this.#pauseMs = this.#options.pauseMs;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#openUntil !== null) {
      // A call that began before it opened says nothing about the trial.
      if (!this.#isTrying) return;
      this.#pauseMs = Math.min(this.#pauseMs * 2, this.#options.pauseMaxMs);
    } else if (this.#failures < this.#options.failures) return;
    this.#isTrying = false;
    this.#openUntil = this.#clock.now() + this.#pauseMs;
  }

  /** The call was not made, or says nothing about the provider's health. */
  undecided(): void {
    this.#isTrying = false;
  }
}
