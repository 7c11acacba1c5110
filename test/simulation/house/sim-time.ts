import type { Clock } from '../../../src/ports/clock.ts';
import type { Timers } from '../../../src/ports/timers.ts';
import type { Appointment, Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';

/** The ports of time, on the simulated one, for one process. */
export const timeOf = (scheduler: Scheduler, process: SimProcess): Clock & Timers => ({
  now: () => scheduler.now,
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const end = (): void => {
        appointment.cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const appointment = scheduler.after(ms, () => process.pass(end));
      signal?.addEventListener('abort', end, { once: true });
    }),
});

type Timer = Appointment & { ref(): void; unref(): void };

/**
 * Puts the simulated time in the place of the global timers and of `Date.now` while `run` goes on: the Kafka client has no
 * port for them. Its jitter is taken out elsewhere (`kafka/client.ts`), so that chance has one source too.
 */
export const withSimulatedGlobals = async <T>(scheduler: Scheduler, run: () => Promise<T>): Promise<T> => {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now };
  const set = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Timer => {
    const appointment = scheduler.after(Math.max(1, ms), () => callback(...args));
    return { ...appointment, ref: () => undefined, unref: () => undefined };
  };
  const clear = (timer: unknown): void => {
    if (typeof timer === 'object' && timer !== null && 'cancel' in timer) (timer as Timer).cancel();
    else real.clearTimeout(timer as NodeJS.Timeout);
  };
  globalThis.setTimeout = set as unknown as typeof setTimeout;
  globalThis.clearTimeout = clear as typeof clearTimeout;
  Date.now = () => scheduler.now;
  try {
    return await run();
  } finally {
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    Date.now = real.now;
  }
};
