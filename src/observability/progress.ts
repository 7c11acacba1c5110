import type { Clock } from '../ports/clock.ts';

interface Seen {
  position: string;
  lag: number;
  movedAt: number;
}

/** A partition that has work and does not do it. */
export interface Stall {
  /** like `webhook-received/3` */
  readonly partition: string;
  readonly lag: number;
  readonly sinceMs: number;
}

/**
 * Tells a consumer that works from one that only lives: a partition with lag whose position has not moved for a while is
 * stalled. No lag is no stall, however long nothing came.
 */
export class Progress {
  readonly #clock: Clock;
  readonly #stallAfterMs: number;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Clock, stallAfterMs: number) {
    this.#clock = clock;
    this.#stallAfterMs = stallAfterMs;
  }

  /** What is known of a partition now: the next offset to apply, and how many records lie from there on. */
  observe(partition: string, position: string, lag: number): void {
    const seen = this.#seen.get(partition);
    const now = this.#clock.now();
    if (seen === undefined) this.#seen.set(partition, { position, lag, movedAt: now });
    else {
      if (seen.position !== position || seen.lag === 0) seen.movedAt = now;
      seen.position = position;
      seen.lag = lag;
    }
  }

  /** The partition went to another member: it is no longer ours to move. */
  forget(partition: string): void {
    this.#seen.delete(partition);
  }

  stalls(): readonly Stall[] {
    const now = this.#clock.now();
    return [...this.#seen].flatMap(([partition, { lag, movedAt }]) =>
      lag > 0 && now - movedAt >= this.#stallAfterMs ? [{ partition, lag, sinceMs: now - movedAt }] : [],
    );
  }
}
