import type { Timers } from '../../../src/ports/timers.ts';

const MAX_MS = 30_000;

/** Tries again, ever more seldom, until it has worked: what a supervisor does with a process that cannot start. */
export const untilDone = async <T>(timers: Timers, run: () => Promise<T>): Promise<T> => {
  for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, MAX_MS)) {
    try {
      return await run();
    } catch {
      await timers.wait(waitMs);
    }
  }
};
