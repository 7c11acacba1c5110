import type { EpochMs } from '../evaluator/index.ts';

/**
 * The time a shard has reached (DESIGN: time): the least, over its input partitions, of the wall time of the last fetch
 * that found the partition caught up and the timestamp of the last applied record. Never goes back. A partition that has
 * neither yet holds time where it was restored, so that nobody is judged on what has not been read.
 */
export class StreamTime {
  readonly #positions = new Map<string, EpochMs>();
  #least: EpochMs = Number.NEGATIVE_INFINITY;
  #now: EpochMs;

  constructor(topics: readonly string[], restored: EpochMs) {
    for (const topic of topics) this.#positions.set(topic, Number.NEGATIVE_INFINITY);
    this.#now = restored;
  }

  get now(): EpochMs {
    return this.#now;
  }

  /**
   * A record of `topic` is being applied. A timestamp ahead of the wall clock (a producer with a wrong clock) counts as the
   * wall time, so that it cannot bring deadlines forward. Returns the stream time it is applied at.
   */
  applied(topic: string, timestampMs: EpochMs, wallMs: EpochMs): EpochMs {
    return this.#reach(topic, Math.min(timestampMs, wallMs));
  }

  /** A fetch begun at `wallMs` found nothing left in the partition. Returns the stream time. */
  caughtUp(topic: string, wallMs: EpochMs): EpochMs {
    return this.#reach(topic, wallMs);
  }

  /** The topic that holds time back, and where it stands (null: nothing read yet). */
  slowest(): { readonly topic: string; readonly position: EpochMs | null } | null {
    let slowest: [string, EpochMs] | null = null;
    for (const entry of this.#positions) if (slowest === null || entry[1] < slowest[1]) slowest = entry;
    if (slowest === null) return null;
    return { topic: slowest[0], position: Number.isFinite(slowest[1]) ? slowest[1] : null };
  }

  #reach(topic: string, ms: EpochMs): EpochMs {
    const before = this.#positions.get(topic);
    if (before === undefined) throw new TypeError(`${topic} is not an input topic of this shard`);
    if (ms > before) {
      this.#positions.set(topic, ms);
      // The least can only have moved where this was it.
      if (before <= this.#least) this.#least = Math.min(...this.#positions.values());
      if (this.#least > this.#now) this.#now = this.#least;
    }
    return this.#now;
  }
}
