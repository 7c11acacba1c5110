import { type Clock, systemClock } from './clock.ts';
import { systemTimers, type Timers } from './timers.ts';

/** A clock and the timers that go by it. */
export interface Time {
  readonly clock: Clock;
  readonly timers: Timers;
}

export const systemTime: Time = { clock: systemClock, timers: systemTimers };
