import type { Clock } from '../ports/clock.ts';

/** A clock that stands still until it is moved, and never goes back. */
export class ManualClock implements Clock {
  #now: number;

  constructor(startAt: number) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  moveTo(ms: number): void {
    this.#now = Math.max(this.#now, ms);
  }
}
