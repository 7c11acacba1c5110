import { describe, expect, it } from 'vitest';
import { describeShardStore } from '../conformance/shard-store.ts';
import { keysUnder, redisHarness, redisSettings } from './redis-store.ts';

describeShardStore('Redis', () => redisHarness(redisSettings()));

const PAYMENTS = 2000;
const STATE_BYTES = 800;
const NOW = Date.parse('2026-09-01T12:00:00Z');
const DAY_MS = 86_400_000;

describe('the shard store in Redis', () => {
  it('takes at most 900 bytes beside the state of an open operation, for its next evaluation, its next read and its age', async () => {
    const { store, redis, prefix, dispose } = await redisHarness(redisSettings());
    const writes = Array.from({ length: PAYMENTS }, (_, n) => ({
      paymentKey: `paypal:merchant-1:${String(n).padStart(17, '0')}`,
      value: 'x'.repeat(STATE_BYTES),
      expiresAt: NOW + 40 * DAY_MS,
      evaluateAt: NOW + n,
      // Not settled: held as it is.
      unresolvedSince: NOW,
      reads: [
        {
          operationId: `operation-${n}`,
          channel: 'refund_readback',
          resourceId: '1JU08902781691411',
          purpose: 'poll' as const,
          attempt: 1,
          dueAt: NOW + n,
        },
      ],
    }));
    const claim = await store.claim(0, 'owner');
    await store.commit({ claim, writes, applied: { t: '1' }, verdicts: [], streamTime: NOW });
    let bytes = 0;
    for (const key of await keysUnder(redis, prefix))
      bytes += (await redis.client.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
    await dispose();
    expect(bytes / PAYMENTS).toBeGreaterThan(STATE_BYTES);
    // Most operations of a deployment are settled: without queue entries, and compressed. `npm run bench:pipeline` counts all.
    expect(bytes / PAYMENTS).toBeLessThan(STATE_BYTES + 900);
  });

  it('lets a state expire by itself, and renews that with each write', async () => {
    const { store, redis, prefix, dispose } = await redisHarness(redisSettings());
    const claim = await store.claim(0, 'owner');
    const write = { paymentKey: 'p', value: 'v', evaluateAt: null, reads: [] };
    const first = await store.commit({
      claim,
      writes: [{ ...write, expiresAt: NOW + DAY_MS }],
      applied: {},
      verdicts: [],
      streamTime: NOW,
    });
    const key = `{${prefix}:0}:p:p`;
    const before = await redis.client.pttl(key);
    expect(before).toBeGreaterThan(DAY_MS - 60_000);
    expect(before).toBeLessThanOrEqual(DAY_MS);
    if (!('claim' in first)) throw new Error('not written');
    const writes = [{ ...write, expiresAt: NOW + 36 * DAY_MS }];
    await store.commit({ claim: first.claim, writes, applied: {}, verdicts: [], streamTime: NOW + DAY_MS });
    expect(await redis.client.pttl(key)).toBeGreaterThan(35 * DAY_MS - 60_000);
    await redis.client.pexpire(key, 0);
    expect(await store.load(0, ['p'])).toEqual([null]);
    await dispose();
  });
});
