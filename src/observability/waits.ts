import type { Clock } from '../ports/clock.ts';

/** Something that takes longer than it should. */
export interface Overdue {
  readonly what: string;
  readonly sinceMs: number;
}

/** What a role waits for now, and since when: a question that nobody answers leaves no lag to be seen and throws no error. */
export class Waits {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  #since: ReadonlyMap<string, number> = new Map();

  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** All that is waited for now. What was waited for before has been since then; what is left out has come. */
  are(waiting: readonly string[]): void {
    const now = this.#clock.now();
    this.#since = new Map(waiting.map((what) => [what, this.#since.get(what) ?? now]));
  }

  overdue(): readonly Overdue[] {
    const now = this.#clock.now();
    return [...this.#since].flatMap(([what, since]) =>
      now - since >= this.#patienceMs ? [{ what, sinceMs: now - since }] : [],
    );
  }
}
