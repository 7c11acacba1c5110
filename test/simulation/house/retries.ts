import type { Random } from '../random.ts';
import type { Scheduler } from './scheduler.ts';

const ANSWER_WITHIN_MS = 15_000;
const AGAIN_MS = [2_000, 15_000, 60_000, 300_000];

/** Those who come again until they are answered, as providers and payment services do. */
export class Retries {
  readonly #scheduler: Scheduler;
  #open = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** what is not taken yet */
  get open(): number {
    return this.#open;
  }

  /** Tries until it is taken. */
  until(chance: Random, attempt: () => Promise<boolean>): void {
    this.#open += 1;
    let tries = 0;
    const next = (): void => {
      void attempt()
        .catch(() => false)
        .then((isTaken) => {
          if (isTaken) {
            this.#open -= 1;
            return;
          }
          const waitMs = AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)] ?? 0;
          tries += 1;
          this.#scheduler.after(waitMs * (0.5 + chance.next()), next);
        });
    };
    next();
  }

  inTime<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = this.#scheduler.after(ANSWER_WITHIN_MS, () => reject(new Error('no answer in time')));
      void promise.then(resolve, reject).finally(() => late.cancel());
    });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#scheduler.after(ms, resolve));
  }
}
