import { expect, test } from 'vitest';
import { Silence } from '../../../src/consumers/silence.ts';

/** The seconds, of looks one second apart, at which the silence was too long. */
const alarms = (silence: Silence, from: number, until: number, position: bigint | null = 2n): number[] => {
  const found: number[] = [];
  for (let second = from; second <= until; second += 1)
    if (silence.isTooLong('t', position, second * 1_000)) found.push(second);
  return found;
};

test('a topic that does not move is told after 30 seconds, and then after twice as long each time, up to ten minutes', () => {
  expect(alarms(new Silence(), 0, 2_700)).toEqual([30, 90, 210, 450, 930, 1_530, 2_130]);
});

test('moving, or having nothing to wait for, begins anew', () => {
  const silence = new Silence();
  alarms(silence, 0, 29);
  silence.isTooLong('t', 3n, 29_500);
  expect(alarms(silence, 30, 59, 3n)).toEqual([]);
  silence.isTooLong('t', null, 59_200);
  expect(alarms(silence, 60, 91, 3n)).toEqual([90]);
});

test('a pause between two looks does not count: the process may have stood still', () => {
  const silence = new Silence();
  alarms(silence, 0, 5);
  expect(alarms(silence, 100, 131)).toEqual([130]);
});
