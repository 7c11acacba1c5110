import { expect, test } from 'vitest';
import { Waits } from '../../../src/observability/waits.ts';

function withClock() {
  let now = 0;
  return { waits: new Waits({ now: () => now }, 60_000), pass: (ms: number) => (now += ms) };
}

test('what is waited for is overdue after the time given, and is told with how long it has been', () => {
  const { waits, pass } = withClock();
  waits.are(['a', 'b']);
  pass(59_999);
  expect(waits.overdue()).toEqual([]);
  waits.are(['a', 'b', 'c']);
  pass(1);
  expect(waits.overdue()).toEqual([
    { what: 'a', sinceMs: 60_000 },
    { what: 'b', sinceMs: 60_000 },
  ]);
});

test('what has come is waited for no longer, and its time begins anew', () => {
  const { waits, pass } = withClock();
  waits.are(['a']);
  pass(60_000);
  waits.are([]);
  expect(waits.overdue()).toEqual([]);
  waits.are(['a']);
  pass(59_999);
  expect(waits.overdue()).toEqual([]);
});
