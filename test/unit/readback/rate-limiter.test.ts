import { expect, test } from 'vitest';
import { MemoryRateLimiter } from '../../../src/drivers/memory/rate-limiter.ts';
import { rateLimiterBehaviour } from '../../conformance/rate-limiter.ts';
import { TestTime } from '../../support/test-time.ts';

rateLimiterBehaviour(async () => {
  const time = new TestTime();
  const limiter = new MemoryRateLimiter(time);
  return { limiter, other: limiter, pass: (ms) => time.pass(ms) };
});

test('over any stretch of time no more than the rate and one burst', async () => {
  const time = new TestTime();
  const limiter = new MemoryRateLimiter(time);
  let taken = 0;
  for (let step = 0; step < 1_000; step += 1) {
    if ((await limiter.take('a', { perSecond: 7, burst: 5 })) === 0) taken += 1;
    await time.pass(10);
  }
  expect(taken).toBeGreaterThanOrEqual(70);
  expect(taken).toBeLessThanOrEqual(75);
});
