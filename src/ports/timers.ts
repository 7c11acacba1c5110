import { setTimeout as sleep } from 'node:timers/promises';

/** Waiting as a port, so that a whole run can be played on a simulated clock. */
export interface Timers {
  /** Resolves after `ms` milliseconds, or at once when `signal` is or gets aborted. Never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemTimers: Timers = {
  wait: async (ms, signal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
