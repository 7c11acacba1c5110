import { type Check, checksOf } from './check.ts';

/** Clocks further apart than this make windows and deadlines come at odd times. */
const WARN_MS = 1_000;
/** Further than the created_at that is believed. */
const FAIL_MS = 60_000;

const { ok, warn, fail } = checksOf('clock');

/**
 * What another clock says against ours. The network's way there and back is not held against it: only what lies outside the
 * moment of asking and the moment of the answer is a difference.
 */
export const checkClock = (name: string, time: number, askedAt: number, answeredAt: number): Check => {
  const difference = time < askedAt ? time - askedAt : time > answeredAt ? time - answeredAt : 0;
  const apart = Math.abs(difference);
  const seconds = (apart / 1000).toFixed(1);
  const said = `${name} is ${seconds} s ${difference < 0 ? 'behind' : 'ahead of'} this machine`;
  if (apart < WARN_MS) return ok(`${name} agrees with this machine's clock`);
  const advice = 'Synchronise the clocks (NTP): windows and deadlines run on the records’ timestamps.';
  return apart < FAIL_MS ? warn(said, advice) : fail(said, advice);
};
