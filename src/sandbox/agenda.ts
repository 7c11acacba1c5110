/** What is to happen, by time; at the same time, in the order in which it was put down. */
export class Agenda {
  readonly #tasks: { readonly at: number; readonly run: () => void }[] = [];
  #changed: () => void = () => undefined;

  /** when the next task is due; null: none is */
  get nextAt(): number | null {
    return this.#tasks[0]?.at ?? null;
  }

  get size(): number {
    return this.#tasks.length;
  }

  /** Hears of every task that becomes the first. */
  onFirst(changed: () => void): void {
    this.#changed = changed;
  }

  at(at: number, run: () => void): void {
    let index = this.#tasks.length;
    while (index > 0 && (this.#tasks[index - 1]?.at ?? at) > at) index -= 1;
    this.#tasks.splice(index, 0, { at, run });
    if (index === 0) this.#changed();
  }

  /** Takes the first task that is due at `now`; null: none is. */
  take(now: number): { readonly at: number; readonly run: () => void } | null {
    const [first] = this.#tasks;
    if (first === undefined || first.at > now) return null;
    this.#tasks.shift();
    return first;
  }
}
