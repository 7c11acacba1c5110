import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryShardStore } from '../../src/drivers/memory/shard-store.ts';
import type { ClaimedRead, ShardClaim, ShardStore } from '../../src/ports/shard-store.ts';
import { redisHarness, redisSettings } from './redis-store.ts';

const NOW = 1_788_264_000_000;
const FAR = NOW + 1e9;

const time = fc.integer({ min: NOW, max: NOW + 20 });
const id = fc.constantFrom('a', 'b', 'c', 'd');
const read = fc.record({
  operationId: fc.constantFrom('op-1', 'op-2'),
  channel: fc.constantFrom('refund_readback', 'payment_readback'),
  resourceId: fc.constantFrom(null, 'r'),
  purpose: fc.constant('poll' as const),
  attempt: fc.constant(1),
  dueAt: time,
});
const write = fc.record({
  paymentKey: id,
  value: fc.string({ maxLength: 5 }),
  expiresAt: fc.constantFrom(FAR, FAR, FAR, NOW - 1),
  evaluateAt: fc.option(time),
  reads: fc.uniqueArray(read, { maxLength: 3, selector: ({ dueAt: _, ...rest }) => JSON.stringify(rest) }),
});
const commit = fc.record({
  do: fc.constant('commit' as const),
  /** which of the claims so far commits; most often the last */
  by: fc.constantFrom(0, 0, 0, 0, 1, 2),
  writes: fc.uniqueArray(write, { maxLength: 3, selector: ({ paymentKey }) => paymentKey }),
  verdicts: fc.integer({ min: 0, max: 2 }),
  again: fc.boolean(),
  raise: fc.constantFrom(0, 0, 0, 3),
});
const step = fc.oneof(
  { weight: 6, arbitrary: commit },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('claim' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reads' as const),
      upTo: time,
      until: time,
      limit: fc.integer({ min: 0, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat(5), dueAt: fc.option(time) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('trim' as const), by: fc.constantFrom(0, 0, 1), sequence: fc.nat(6) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('snapshot' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Subject {
  readonly store: ShardStore;
  snapshot(): Promise<() => Promise<void>>;
}

const unnamed = ({ lease: _lease, ...read }: ClaimedRead) => read;

/** Plays the steps and notes whatever the store answers; what each store names for itself (tokens, leases) is left out. */
const play = async ({ store, snapshot }: Subject, steps: readonly Step[]): Promise<unknown[]> => {
  const notes: unknown[] = [];
  const claims: ShardClaim[] = [await store.claim(0, 'owner 0')];
  const leased: ClaimedRead[] = [];
  let back = await snapshot();
  let offset = 0;
  const claimAt = (by: number): number => Math.max(0, claims.length - 1 - by);
  for (const [index, one] of steps.entries()) {
    switch (one.do) {
      case 'claim': {
        const { token: _token, ...claim } = await store.claim(0, `owner ${index + 1}`);
        notes.push(claim);
        claims.push({ ...claim, token: _token });
        break;
      }
      case 'commit': {
        const claim = claims[claimAt(one.by)];
        if (claim === undefined) break;
        offset += 1;
        const made = {
          claim: { ...claim, nextVerdict: claim.nextVerdict + one.raise },
          writes: one.writes,
          applied: { t: String(Number(claim.applied['t'] ?? '0') + offset) },
          verdicts: Array.from({ length: one.verdicts }, (_, n) => ({
            key: `k${n}`,
            value: `${index}`,
            traceparent: null,
          })),
          streamTime: NOW,
        };
        const results = [await store.commit(made)];
        if (one.again) results.push(await store.commit(structuredClone(made)));
        notes.push(results.map(({ outcome }) => outcome));
        const [result] = results;
        if (result !== undefined && 'claim' in result) claims[claimAt(one.by)] = result.claim;
        break;
      }
      case 'reads': {
        const claimed = await store.claimReads(0, one.upTo, one.until, one.limit);
        notes.push(claimed.map(unnamed));
        leased.push(...claimed);
        break;
      }
      case 'release': {
        const held = leased[one.which];
        if (held !== undefined) await store.releaseRead(held, one.dueAt);
        break;
      }
      case 'trim':
        await store.trimVerdicts(0, claims[claimAt(one.by)]?.token ?? '', one.sequence);
        break;
      case 'snapshot':
        back = await snapshot();
        break;
      case 'restore':
        await back();
        break;
    }
    notes.push(
      await store.load(0, ['a', 'b', 'c', 'd']),
      await store.dueEvaluations(0, NOW + 10, 3),
      await store.nextEvaluation(0),
      await store.pendingVerdicts(0, 10),
      await Promise.all(claims.map(({ token }) => store.owns(0, token))),
    );
  }
  notes.push((await store.claimReads(0, NOW + 100, NOW + 200, 1000)).map(unnamed));
  return notes;
};

describe('the shard store in Redis', () => {
  it('answers as the one in memory does, whatever is asked of both', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const harness = await redisHarness(redisSettings());
        try {
          let now = NOW;
          const memory = new MemoryShardStore({ clock: { now: () => now++ } });
          const inMemory = {
            store: memory,
            snapshot: async () => {
              const taken = memory.snapshot();
              return async () => memory.restore(taken);
            },
          };
          expect(await play(harness, steps)).toEqual(await play(inMemory, steps));
        } finally {
          await harness.dispose();
        }
      }),
      { numRuns: 60 },
    );
  });
});
