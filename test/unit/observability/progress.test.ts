import { expect, test } from 'vitest';
import { Progress } from '../../../src/observability/progress.ts';

function withClock() {
  let now = 0;
  return { progress: new Progress({ now: () => now }, 60_000), pass: (ms: number) => (now += ms) };
}

test('lag whose position does not move is a stall, after the time given', () => {
  const { progress, pass } = withClock();
  progress.observe('webhook-received/3', '10', 5);
  pass(59_999);
  progress.observe('webhook-received/3', '10', 6);
  expect(progress.stalls()).toEqual([]);
  pass(1);
  expect(progress.stalls()).toEqual([{ partition: 'webhook-received/3', lag: 6, sinceMs: 60_000 }]);
});

test('a position that moves is no stall, whatever the lag', () => {
  const { progress, pass } = withClock();
  progress.observe('t/0', '10', 1_000_000);
  pass(50_000);
  progress.observe('t/0', '11', 2_000_000);
  pass(50_000);
  expect(progress.stalls()).toEqual([]);
});

test('silence without lag is no stall, and its time does not count against the first record that comes', () => {
  const { progress, pass } = withClock();
  progress.observe('t/0', '10', 0);
  pass(3_600_000);
  progress.observe('t/0', '10', 1);
  expect(progress.stalls()).toEqual([]);
});

test('a partition that went to another member is forgotten', () => {
  const { progress, pass } = withClock();
  progress.observe('t/0', '10', 1);
  progress.forget('t/0');
  pass(60_000);
  expect(progress.stalls()).toEqual([]);
});
