import type { Appointment, Scheduler } from '../scheduler.ts';

interface Parked {
  readonly hasData: () => boolean;
  readonly answer: () => void;
  readonly timeout: Appointment;
}

/** Fetches that found nothing: answered when there is something, or when they have waited for long enough. */
export class FetchQueue {
  readonly #scheduler: Scheduler;
  #parked: Parked[] = [];

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  wait(hasData: () => boolean, maxWaitMs: number): Promise<void> {
    if (hasData()) return Promise.resolve();
    return new Promise((resolve) => {
      const parked: Parked = {
        hasData,
        answer: resolve,
        timeout: this.#scheduler.after(maxWaitMs, () => {
          this.#parked = this.#parked.filter((one) => one !== parked);
          resolve();
        }),
      };
      this.#parked.push(parked);
    });
  }

  /** Something was written or has become stable. */
  look(): void {
    const served = this.#parked.filter(({ hasData }) => hasData());
    if (served.length === 0) return;
    this.#parked = this.#parked.filter((one) => !served.includes(one));
    for (const { answer, timeout } of served) {
      timeout.cancel();
      answer();
    }
  }
}
