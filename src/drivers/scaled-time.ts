import type { Clock } from '../ports/clock.ts';
import type { Timers } from '../ports/timers.ts';

export interface ScaledTimeOptions {
  /** how many of its milliseconds pass in one of the wall clock's */
  readonly speed: number;
  /** milliseconds since the epoch; default: now */
  readonly startAt?: number;
  /** in place of the wall clock: tests */
  readonly wall?: () => number;
}

interface Waiter {
  readonly at: number;
  readonly resolve: () => void;
}

const TICK_MS = 10;
/** A process that stands still for longer than this did not live through it: its clock stood still too. */
const STEP_MAX_MS = 50;

/**
 * A clock that runs faster than the wall's, with timers to match, for showing in seconds what takes minutes. It goes on only
 * while the event loop turns: on a machine that stalls, a window of simulated seconds is not over before anybody could act.
 */
export class ScaledTime implements Clock, Timers {
  readonly #speed: number;
  readonly #wall: () => number;
  readonly #ticking: NodeJS.Timeout;
  readonly #waiters = new Set<Waiter>();
  #now: number;
  #tickedAt: number;

  constructor(options: ScaledTimeOptions) {
    this.#speed = options.speed;
    this.#wall = options.wall ?? (() => performance.now());
    this.#now = options.startAt ?? Date.now();
    this.#tickedAt = this.#wall();
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
  }

  /** whole milliseconds since the epoch */
  now(): number {
    return Math.floor(this.#now + this.#sinceTick());
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const waiter: Waiter = { at: this.now() + ms, resolve: done };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  /** Stops the clock; whoever waits goes on. */
  close(): void {
    clearInterval(this.#ticking);
    for (const { resolve } of [...this.#waiters]) resolve();
  }

  #sinceTick(): number {
    return Math.min(this.#wall() - this.#tickedAt, STEP_MAX_MS) * this.#speed;
  }

  #tick(): void {
    this.#now += this.#sinceTick();
    this.#tickedAt = this.#wall();
    const now = this.now();
    const due = [...this.#waiters].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const { resolve } of due) resolve();
  }
}
