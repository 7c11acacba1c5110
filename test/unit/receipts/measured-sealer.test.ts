import { expect, it } from 'vitest';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { EMPTY_CHAIN } from '../../../src/ports/receipt-sealer.ts';
import { measuredSealer, NO_RECEIPTS } from '../../../src/receipts/index.ts';
import { sealerWith, TestShard, testKey, verdictOf } from '../../support/receipts.ts';

const counted = async (metrics: ReturnType<typeof createMetrics>) =>
  (await metrics.receipts.get()).values.map(({ labels, value }) => [labels.outcome, value]);

it('counts receipts, and each time that there is no key by its code', async () => {
  const metrics = createMetrics();
  const late = testKey('k1', { not_after: '2000-01-01T00:00:00Z' });
  await new TestShard(measuredSealer(sealerWith(testKey('k1')), metrics)).publish([
    verdictOf('op-1', 1),
    verdictOf('op-2', 1),
    verdictOf('op-3', 1, { verdict: 'PENDING' }),
  ]);
  const without = new TestShard(measuredSealer(sealerWith(late), metrics));
  await expect(without.publish([verdictOf('op-1', 1)])).rejects.toMatchObject({ code: 'RECEIPT_KEY_MISSING' });
  expect(await counted(metrics)).toEqual([
    ['sealed', 2],
    ['RECEIPT_KEY_MISSING', 1],
  ]);
});

it('counts nothing where nothing is sealed, and what is no error of ours as failed', async () => {
  const metrics = createMetrics();
  await measuredSealer(NO_RECEIPTS, metrics).seal(0, EMPTY_CHAIN, []);
  expect(await counted(metrics)).toEqual([]);
  const broken = { ...NO_RECEIPTS, seal: () => Promise.reject(new TypeError('x')) };
  await expect(measuredSealer(broken, metrics).seal(0, EMPTY_CHAIN, [])).rejects.toThrow(TypeError);
  expect(await counted(metrics)).toEqual([['failed', 1]]);
});
