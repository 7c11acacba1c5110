import { expect, test } from 'vitest';
import type { RateLimiter } from '../../src/ports/rate-limiter.ts';

export interface LimiterUnderTest {
  readonly limiter: RateLimiter;
  /** lets this much time pass on the limiter's clock */
  pass(ms: number): Promise<void>;
}

const RATE = { perSecond: 10, burst: 3 };

/** What every rate limiter does. `make` gives a fresh one, of the same keys for `others`. */
export const rateLimiterBehaviour = (make: () => Promise<LimiterUnderTest & { readonly other: RateLimiter }>): void => {
  test('gives a burst, then one call an interval, to all workers together', async () => {
    const { limiter, other, pass } = await make();
    expect([await limiter.take('a', RATE), await other.take('a', RATE), await limiter.take('a', RATE)]).toEqual([
      0, 0, 0,
    ]);
    const waitMs = await other.take('a', RATE);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(100);
    await pass(waitMs);
    expect(await limiter.take('a', RATE)).toBe(0);
    expect(await limiter.take('a', RATE)).toBeGreaterThan(0);
  });

  test('keeps accounts apart', async () => {
    const { limiter } = await make();
    for (let call = 0; call < 3; call += 1) await limiter.take('a', RATE);
    expect(await limiter.take('a', RATE)).toBeGreaterThan(0);
    expect(await limiter.take('b', RATE)).toBe(0);
  });

  test('gives nothing to anybody while it is held, and no burst right after', async () => {
    const { limiter, other, pass } = await make();
    await limiter.hold('a', RATE, 300);
    await other.hold('a', RATE, 50);
    const waitMs = await other.take('a', RATE);
    expect(waitMs).toBeGreaterThan(200);
    expect(waitMs).toBeLessThanOrEqual(300);
    await pass(waitMs);
    expect(await other.take('a', RATE)).toBe(0);
    expect(await limiter.take('a', RATE)).toBeGreaterThan(0);
  });
};
