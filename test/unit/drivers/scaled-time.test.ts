import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ScaledTime } from '../../../src/drivers/scaled-time.ts';

let wall = 0;
const made: ScaledTime[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  wall = 0;
});
afterEach(() => {
  for (const time of made.splice(0)) time.close();
  vi.useRealTimers();
});

const start = (speed: number): ScaledTime => {
  const time = new ScaledTime({ speed, startAt: 1_000_000, wall: () => wall });
  made.push(time);
  return time;
};

/** Lets the wall clock run, and the event loop turn every 10 ms of it. */
const run = async (ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 10) {
    wall += 10;
    await vi.advanceTimersByTimeAsync(10);
  }
};

it('runs as much faster as it is told, and wakes who waits when its own time has come', async () => {
  const time = start(20);
  const woken: number[] = [];
  void time.wait(3_000).then(() => woken.push(time.now()));
  void time.wait(1_000).then(() => woken.push(time.now()));
  await run(40);
  expect([time.now(), woken]).toEqual([1_000_800, []]);
  await run(200);
  expect([time.now(), woken]).toEqual([1_004_800, [1_001_000, 1_003_000]]);
});

it('stands still while the process does: a stall of a minute is no twenty minutes', async () => {
  const time = start(20);
  wall += 60_000;
  expect(time.now()).toBe(1_001_000);
  await vi.advanceTimersByTimeAsync(10);
  expect(time.now()).toBe(1_001_000);
  await run(10);
  expect(time.now()).toBe(1_001_200);
});

it('lets go of who waits when the signal says so, when it was aborted before, and when it is closed', async () => {
  const time = start(1);
  const leaving = new AbortController();
  const waits = [time.wait(1e9, leaving.signal), time.wait(1e9, AbortSignal.abort()), time.wait(1e9)];
  leaving.abort();
  await waits[0];
  await waits[1];
  time.close();
  await waits[2];
});
