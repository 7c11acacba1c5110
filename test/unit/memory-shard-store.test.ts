import { describe, expect, it } from 'vitest';
import { MemoryShardStore } from '../../src/drivers/memory/shard-store.ts';
import type { ShardClaim } from '../../src/ports/shard-store.ts';
import { describeShardStore } from '../conformance/shard-store.ts';

describeShardStore('memory', async () => {
  const store = new MemoryShardStore();
  return {
    store,
    other: store,
    snapshot: async () => {
      const taken = store.snapshot();
      return async () => store.restore(taken);
    },
    dispose: () => store.close(),
  };
});

const write = (paymentKey: string, expiresAt: number, evaluateAt: number | null = null) => ({
  paymentKey,
  value: `state of ${paymentKey}`,
  expiresAt,
  evaluateAt,
  reads: [],
});

describe('the shard store in memory', () => {
  it('expires a state when the stream time reaches it', async () => {
    const store = new MemoryShardStore();
    let claim: ShardClaim = await store.claim(0, 'a');
    const reach = async (streamTime: number): Promise<void> => {
      const result = await store.commit({ claim, writes: [], applied: {}, verdicts: [], streamTime });
      if ('claim' in result) claim = result.claim;
    };
    await store.commit({ claim, writes: [write('k', 100)], applied: {}, verdicts: [], streamTime: 1 });
    claim = { ...claim, sequence: 1 };
    await reach(99);
    expect(await store.load(0, ['k'])).toEqual(['state of k']);
    await reach(100);
    expect(await store.load(0, ['k'])).toEqual([null]);
    const left: string[] = [];
    for await (const { paymentKey } of store.scan(0)) left.push(paymentKey);
    expect(left).toEqual([]);
  });

  it('gives the slots of expired payments to new ones while it writes', async () => {
    const store = new MemoryShardStore();
    let claim: ShardClaim = await store.claim(0, 'a');
    // A thousand live at any time; without reuse fifty thousand slots and due entries would be held.
    for (let batch = 0; batch < 500; batch++) {
      const now = 1000 + batch * 100;
      const writes = Array.from({ length: 100 }, (_, n) => write(`k${now + n}`, now + 1000, now + 5000));
      const result = await store.commit({ claim, writes, applied: {}, verdicts: [], streamTime: now });
      if ('claim' in result) claim = result.claim;
    }
    let live = 0;
    for await (const _payment of store.scan(0)) live += 1;
    expect(live).toBe(1000);
    expect((await store.dueEvaluations(0, 1e9, 1e6)).length).toBeLessThan(2500);
  });

  it('numbers owner tokens from the clock it is given', async () => {
    const store = new MemoryShardStore({ clock: { now: () => 5000 } });
    expect((await store.claim(0, 'a')).token).toBe('5000000:a');
    expect((await store.claim(0, 'b')).token).toBe('5000001:b');
  });

  it('leaves a snapshot as it was taken', async () => {
    const store = new MemoryShardStore();
    const claim = await store.claim(0, 'a');
    const empty = store.snapshot();
    const commit = { claim, writes: [write('k', 1e9, 7)], applied: { t: '1' }, verdicts: [], streamTime: 1 };
    for (let time = 0; time < 2; time++) {
      await store.commit(commit);
      expect(await store.load(0, ['k'])).toEqual(['state of k']);
      store.restore(empty);
      expect(await store.load(0, ['k'])).toEqual([null]);
      expect(await store.nextEvaluation(0)).toBeNull();
    }
  });
});
