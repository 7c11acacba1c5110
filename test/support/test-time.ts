import type { Clock } from '../../src/ports/clock.ts';
import type { Timers } from '../../src/ports/timers.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Lets everything that is ready run, however many promises deep. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** A clock and its timers that only move when a test says so. */
export class TestTime implements Clock, Timers {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(now = Date.parse('2026-09-01T12:00:00Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        at: this.#now + Math.max(0, ms),
        wake: () => {
          signal?.removeEventListener('abort', end);
          resolve();
        },
      };
      const end = (): void => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        resolve();
      };
      signal?.addEventListener('abort', end, { once: true });
      this.#sleepers.push(sleeper);
    });
  }

  /** Moves on by `ms`, waking whoever waits at its own instant. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settle();
    for (;;) {
      const next = Math.min(...this.#sleepers.map(({ at }) => at));
      if (next > until) break;
      this.#now = Math.max(this.#now, next);
      const due = this.#sleepers.filter(({ at }) => at <= this.#now);
      this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
      for (const { wake } of due) wake();
      await settle();
    }
    this.#now = until;
  }
}
