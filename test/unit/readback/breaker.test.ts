import { expect, test } from 'vitest';
import { Breaker } from '../../../src/producers/readback/breaker.ts';
import { TestTime } from '../../support/test-time.ts';

const breakerOn = (time: TestTime) => new Breaker(time, { failures: 3, pauseMs: 1_000, pauseMaxMs: 3_000 });

const fail = (breaker: Breaker, times = 1): void => {
  for (let count = 0; count < times; count += 1) {
    breaker.enter();
    breaker.failed();
  }
};

test('opens after failures in a row, not before, and a success starts the row anew', () => {
  const breaker = breakerOn(new TestTime());
  fail(breaker, 2);
  breaker.succeeded();
  fail(breaker, 2);
  expect(breaker.waitMs()).toBe(0);
  fail(breaker);
  expect(breaker.waitMs()).toBe(1_000);
});

test('lets one trial through when its pause is over, and doubles the pause up to its bound', async () => {
  const time = new TestTime();
  const breaker = breakerOn(time);
  fail(breaker, 3);
  for (const pauseMs of [2_000, 3_000, 3_000]) {
    await time.pass(breaker.waitMs());
    expect(breaker.waitMs()).toBe(0);
    breaker.enter();
    expect(breaker.waitMs()).toBeGreaterThan(0);
    breaker.failed();
    expect(breaker.waitMs()).toBe(pauseMs);
  }
  await time.pass(3_000);
  breaker.enter();
  breaker.succeeded();
  expect([breaker.waitMs(), breaker.isOpen]).toEqual([0, false]);
  fail(breaker, 3);
  expect(breaker.waitMs()).toBe(1_000);
});

test('a trial that says nothing makes room for the next', async () => {
  const time = new TestTime();
  const breaker = breakerOn(time);
  fail(breaker, 3);
  await time.pass(1_000);
  breaker.enter();
  breaker.undecided();
  expect([breaker.waitMs(), breaker.isOpen]).toEqual([0, true]);
});

test('calls that began before it opened do not lengthen the pause', () => {
  const breaker = breakerOn(new TestTime());
  fail(breaker, 3);
  breaker.failed();
  breaker.failed();
  expect(breaker.waitMs()).toBe(1_000);
});
