/** Lag of which nothing comes for so long is asked for again; each time that this does not help, twice as long. */
const FIRST_MS = 30_000;
const MOST_MS = 600_000;

/** Looks that lie further apart say nothing of what came between them: the process stood still, or the broker did. */
const LOOK_MS = 10_000;

interface Still {
  readonly position: bigint;
  since: number;
  lookedAt: number;
  patienceMs: number;
}

/** Tells for how long a shard has not moved in a topic that has more for it. */
export class Silence {
  readonly #still = new Map<string, Still>();

  /** @param position where the shard waits for the topic to come; null: it does not wait. `at`: now, milliseconds since the epoch */
  isTooLong(topic: string, position: bigint | null, at: number): boolean {
    const still = this.#still.get(topic);
    if (position === null) {
      this.#still.delete(topic);
      return false;
    }
    if (still === undefined || still.position !== position) {
      this.#still.set(topic, { position, since: at, lookedAt: at, patienceMs: FIRST_MS });
      return false;
    }
    if (at - still.lookedAt > LOOK_MS) still.since = at;
    still.lookedAt = at;
    if (at - still.since < still.patienceMs) return false;
    still.since = at;
    still.patienceMs = Math.min(still.patienceMs * 2, MOST_MS);
    return true;
  }
}
