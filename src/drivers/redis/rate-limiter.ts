import type { Rate, RateLimiter } from '../../ports/rate-limiter.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './keys.ts';

/** Token buckets in Redis, one key each: every worker of an account keeps to its rate together. */
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: RedisConnection;
  readonly #keys: ReturnType<typeof keysOf>;

  /** The connection is the caller's to close. */
  constructor(redis: RedisConnection, prefix: string) {
    this.#redis = redis;
    this.#keys = keysOf(prefix);
  }

  async take(key: string, rate: Rate): Promise<number> {
    return Number(await this.#run(key, rate, ''));
  }

  async hold(key: string, rate: Rate, ms: number): Promise<void> {
    await this.#run(key, rate, Math.ceil(ms));
  }

  #run(key: string, { perSecond, burst }: Rate, holdMs: number | ''): Promise<unknown> {
    return this.#redis.run(
      `keep the rate of ${key}`,
      'takeCall',
      [this.#keys.rate(key)],
      [1000 / perSecond, burst, holdMs],
    );
  }
}
