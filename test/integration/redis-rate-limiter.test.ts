import { setTimeout as wait } from 'node:timers/promises';
import { afterEach } from 'vitest';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import { RedisRateLimiter } from '../../src/drivers/redis/rate-limiter.ts';
import { rateLimiterBehaviour } from '../conformance/rate-limiter.ts';
import { deletePrefix, ownPrefix, redisSettings } from './redis-store.ts';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

rateLimiterBehaviour(async () => {
  const prefix = ownPrefix();
  const [first, second] = [createRedis(redisSettings()), createRedis(redisSettings())];
  ending.push(async () => {
    await deletePrefix(first, prefix);
    await Promise.all([first.close(), second.close()]);
  });
  return {
    limiter: new RedisRateLimiter(first, prefix),
    other: new RedisRateLimiter(second, prefix),
    // The clock is the server's: its time cannot be moved, only waited for.
    pass: async (ms) => {
      await wait(ms + 2);
    },
  };
});
