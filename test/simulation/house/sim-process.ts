/**
 * A process of the house, as far as the outside can see one: it sends requests and gets answers. One that is stopped (SIGSTOP)
 * does neither until it wakes; one that is dead never again. What its code would do in between, between two requests, nobody
 * outside can see.
 */
export class SimProcess {
  readonly name: string;
  #state: 'up' | 'paused' | 'dead' = 'up';
  #held: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get state(): 'up' | 'paused' | 'dead' {
    return this.#state;
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** Hands something to the process, or takes something from it: now, when it wakes, or never. */
  pass(run: () => void): void {
    if (this.#state === 'up') run();
    else if (this.#state === 'paused') this.#held.push(run);
  }

  pause(): void {
    if (this.#state === 'up') this.#state = 'paused';
  }

  wake(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'up';
    const held = this.#held;
    this.#held = [];
    for (const run of held) this.pass(run);
  }

  kill(): void {
    this.#state = 'dead';
    this.#held = [];
  }
}
