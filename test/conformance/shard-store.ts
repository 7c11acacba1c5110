import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DueRead } from '../../src/evaluator/index.ts';
import type { ShardClaim, ShardCommit, ShardStore, StateWrite } from '../../src/ports/shard-store.ts';

/** A store to try, empty, and what else the suite must be able to do to it. */
export interface ShardStoreHarness {
  readonly store: ShardStore;
  /** the same data, as another process sees it */
  readonly other: ShardStore;
  /** Remembers all that is stored; the function it returns makes the store go back to that. */
  snapshot(): Promise<() => Promise<void>>;
  dispose(): Promise<void>;
}

const T0 = Date.parse('2026-09-01T12:00:00.000Z');
const DAY_MS = 86_400_000;
const SHARD = 3;

const payment = (id: string | number): string => `paypal:merchant-1:${id}`;

const write = (id: string | number, value = `{"id":"${id}"}`, more: Partial<StateWrite> = {}): StateWrite => ({
  paymentKey: payment(id),
  value,
  expiresAt: T0 + 35 * DAY_MS,
  evaluateAt: null,
  reads: [],
  ...more,
});

const read = (attempt: number, dueAt: number, more: Partial<DueRead> = {}): DueRead => ({
  operationId: 'op-1',
  channel: 'refund_readback',
  resourceId: '1JU08902781691411',
  purpose: 'poll',
  attempt,
  dueAt,
  ...more,
});

const commitOf = (claim: ShardClaim, more: Partial<Omit<ShardCommit, 'claim'>> = {}): ShardCommit => ({
  claim,
  writes: [],
  applied: claim.applied,
  verdicts: [],
  streamTime: T0,
  ...more,
});

const verdict = (n: number, traceparent: string | null = null) => ({
  key: `${payment(1)}/op-${n}`,
  value: `{"kind":"verdict","n":${n}}`,
  traceparent,
});

/** What any shard store must do; `create` makes a fresh one for each test. */
export const describeShardStore = (name: string, create: () => Promise<ShardStoreHarness>): void => {
  describe(`shard store: ${name}`, () => {
    let harness: ShardStoreHarness;
    let store: ShardStore;

    beforeEach(async () => {
      harness = await create();
      store = harness.store;
    });
    afterEach(() => harness.dispose());

    const claim = (shard = SHARD, on = store): Promise<ShardClaim & { readonly streamTime: number }> =>
      on.claim(shard, randomUUID());

    /** Commits, and fails the test where it is not written. */
    const committed = async (commit: ShardCommit, on = store): Promise<ShardClaim> => {
      const result = await on.commit(commit);
      expect(result.outcome).toBe('committed');
      if (!('claim' in result)) throw new Error('not written');
      return result.claim;
    };

    const stateOf = async (id: string | number, on = store): Promise<string | null> =>
      (await on.load(SHARD, [payment(id)]))[0] ?? null;

    const scanned = async (shard: number): Promise<string[]> => {
      const found = new Set<string>();
      for await (const { paymentKey } of store.scan(shard)) found.add(paymentKey);
      return [...found].sort();
    };

    describe('claims', () => {
      it('hands out a shard that was never used at its beginning', async () => {
        const owner = randomUUID();
        const first = await store.claim(SHARD, owner);
        expect(first).toEqual({
          shard: SHARD,
          token: expect.stringMatching(new RegExp(`^[1-9]\\d*:${owner}$`)),
          sequence: 0,
          applied: {},
          nextVerdict: 1,
          streamTime: 0,
        });
      });

      it('numbers each claim higher than the one before', async () => {
        const numbers: number[] = [];
        for (let n = 0; n < 5; n++) numbers.push(Number.parseInt((await claim()).token, 10));
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      });

      it('tells the next owner what the last one committed', async () => {
        const first = await claim();
        await committed(
          commitOf(first, {
            applied: { 'operation-started': '12', 'webhook-received': '9007199254740993' },
            verdicts: [verdict(1), verdict(2)],
            streamTime: T0 + 5,
          }),
        );
        const second = await claim(SHARD, harness.other);
        expect(second).toMatchObject({
          sequence: 1,
          applied: { 'operation-started': '12', 'webhook-received': '9007199254740993' },
          nextVerdict: 3,
          streamTime: T0 + 5,
        });
      });

      it('knows its owner', async () => {
        const first = await claim();
        expect(await store.owns(SHARD, first.token)).toBe(true);
        const second = await claim(SHARD, harness.other);
        expect(await store.owns(SHARD, first.token)).toBe(false);
        expect(await store.owns(SHARD, second.token)).toBe(true);
        expect(await store.owns(SHARD + 1, second.token)).toBe(false);
      });

      it('refuses an owner without a name', async () => {
        await expect(store.claim(SHARD, '')).rejects.toThrow(TypeError);
      });
    });

    describe('commits', () => {
      it('writes states that are read back in the order asked', async () => {
        await committed(commitOf(await claim(), { writes: [write(1), write(2, 'zwölf € 🧾\n"\\'), write(3, '')] }));
        expect(await store.load(SHARD, [payment(3), payment('none'), payment(2), payment(1), payment(2)])).toEqual([
          '',
          null,
          'zwölf € 🧾\n"\\',
          '{"id":"1"}',
          'zwölf € 🧾\n"\\',
        ]);
        expect(await store.load(SHARD, [])).toEqual([]);
      });

      it('keeps payments apart whatever their ids look like', async () => {
        const ids = ['a:b', 'a', ':', '{x}', '*', 'a b', 'gid://shopify/Order/1', 'ü', 'line\nfeed'];
        const at = T0 + 1;
        const writes = ids.map((id) => write(id, `of ${id}`, { evaluateAt: at, reads: [read(1, at)] }));
        await committed(commitOf(await claim(), { writes }));
        expect(await store.load(SHARD, ids.map(payment))).toEqual(ids.map((id) => `of ${id}`));
        const keys = ids.map(payment).sort();
        expect((await store.dueEvaluations(SHARD, at, 100)).map((due) => due.paymentKey).sort()).toEqual(keys);
        expect((await store.claimReads(SHARD, at, at + 1, 100)).map((due) => due.paymentKey).sort()).toEqual(keys);
        expect(await scanned(SHARD)).toEqual(keys);
      });

      it('goes on from the claim that the last commit returned', async () => {
        let held: ShardClaim = await claim();
        for (let n = 1; n <= 5; n++) {
          held = await committed(commitOf(held, { writes: [write('same', `state ${n}`)], applied: { t: String(n) } }));
          expect(held).toMatchObject({ sequence: n, applied: { t: String(n) } });
        }
        expect(await stateOf('same')).toBe('state 5');
      });

      it('takes a topic that was not there before', async () => {
        const first = await committed(commitOf(await claim(), { applied: { a: '1' } }));
        await committed(commitOf(first, { applied: { a: '1', b: '7' } }));
        expect((await claim()).applied).toEqual({ a: '1', b: '7' });
      });

      it('never takes the stream time back', async () => {
        const first = await committed(commitOf(await claim(), { streamTime: T0 + 10 }));
        await committed(commitOf(first, { streamTime: T0 + 3 }));
        expect((await claim()).streamTime).toBe(T0 + 10);
      });

      it('writes more states, verdicts and reads at once than a script may unpack', async () => {
        const many = Array.from({ length: 9000 }, (_, n) => n);
        const writes = many.map((n) => write(n, `s${n}`, { evaluateAt: T0 + n, reads: [read(1, T0 + n)] }));
        let held = await committed(commitOf(await claim(), { writes, verdicts: many.map((n) => verdict(n)) }));
        expect(await store.load(SHARD, many.map(payment))).toEqual(many.map((n) => `s${n}`));
        expect(await store.dueEvaluations(SHARD, T0 + 9000, 10_000)).toHaveLength(9000);
        expect(await store.pendingVerdicts(SHARD, 10_000)).toHaveLength(9000);
        expect(await store.claimReads(SHARD, T0 + 9000, T0 + 9001, 10_000)).toHaveLength(9000);
        held = await committed(commitOf(held, { writes: many.map((n) => write(n)) }));
        expect(await store.nextEvaluation(SHARD)).toBeNull();
        await store.trimVerdicts(SHARD, held.token, 8999);
        expect(await store.pendingVerdicts(SHARD, 10)).toMatchObject([{ sequence: 9000 }]);
      });

      it('keeps shards apart', async () => {
        const here = await claim(SHARD);
        const there = await claim(SHARD + 1);
        await committed(
          commitOf(here, {
            writes: [write(1, 'here', { evaluateAt: T0, reads: [read(1, T0)] })],
            verdicts: [verdict(1)],
          }),
        );
        expect(await store.load(SHARD + 1, [payment(1)])).toEqual([null]);
        expect(await store.dueEvaluations(SHARD + 1, T0, 10)).toEqual([]);
        expect(await store.claimReads(SHARD + 1, T0, T0 + 1, 10)).toEqual([]);
        expect(await store.pendingVerdicts(SHARD + 1, 10)).toEqual([]);
        expect(await scanned(SHARD + 1)).toEqual([]);
        await committed(commitOf(there, { writes: [write(1, 'there')] }));
        expect(await stateOf(1)).toBe('here');
      });

      it.each([
        ['a payment written twice', (held: ShardClaim) => commitOf(held, { writes: [write(1), write(1)] })],
        ['an empty payment key', (held: ShardClaim) => commitOf(held, { writes: [{ ...write(1), paymentKey: '' }] })],
        ['an offset that goes back', (held: ShardClaim) => commitOf(held, { applied: { t: '9' } })],
        ['an offset left out', (held: ShardClaim) => commitOf(held, { applied: {} })],
        ['an offset that is no number', (held: ShardClaim) => commitOf(held, { applied: { t: '-1' } })],
        ['a time that is none', (held: ShardClaim) => commitOf(held, { streamTime: Number.NaN })],
      ])('refuses %s as a mistake of the program', async (_what, wrong) => {
        const held = await committed(commitOf(await claim(), { applied: { t: '10' } }));
        await expect(store.commit(wrong(held))).rejects.toThrow(TypeError);
        await committed(commitOf(held, { writes: [write(1)] }));
      });
    });

    describe('fences', () => {
      /** Everything a commit could change, so that one that must change nothing can be shown to. */
      const everything = (held: ShardClaim, mark: string): ShardCommit =>
        commitOf(held, {
          writes: [write(1, mark, { evaluateAt: T0 + 7, reads: [read(9, T0 + 7)] }), write('new', mark)],
          applied: { ...held.applied, t: '1000' },
          verdicts: [verdict(99)],
          streamTime: T0 + 99,
        });

      const picture = async () => ({
        states: await store.load(SHARD, [payment(1), payment('new')]),
        due: await store.dueEvaluations(SHARD, T0 + DAY_MS, 10),
        pending: await store.pendingVerdicts(SHARD, 10),
        scanned: await scanned(SHARD),
      });

      const begin = async (): Promise<ShardClaim> =>
        committed(
          commitOf(await claim(), {
            writes: [write(1, 'first', { evaluateAt: T0 + 60, reads: [read(1, T0 + 60)] })],
            applied: { t: '10' },
            verdicts: [verdict(1)],
          }),
        );

      it('fences the former owner, and writes nothing of it', async () => {
        const former = await begin();
        const present = await claim(SHARD, harness.other);
        const before = await picture();
        expect(await store.commit(everything(former, 'zombie'))).toEqual({ outcome: 'fenced' });
        expect(await picture()).toEqual(before);
        await committed(everything({ ...present }, 'present'), harness.other);
      });

      it('says of a commit that is sent again that it is written already', async () => {
        const held = await begin();
        const commit = everything(held, 'once');
        const after = await committed(commit);
        const before = await picture();
        expect(await store.commit(commit)).toEqual({ outcome: 'already', claim: after });
        expect(await store.commit(structuredClone(commit))).toEqual({ outcome: 'already', claim: after });
        expect(await picture()).toEqual(before);
        await committed(commitOf(after, { writes: [write(1, 'next')] }));
      });

      it('says so too of one that moves no offset', async () => {
        const commit = commitOf(await begin(), { writes: [write(1, 'by time')], streamTime: T0 + 60 });
        await committed(commit);
        expect(await store.commit(commit)).toMatchObject({ outcome: 'already' });
      });

      it.each([
        ['state', { writes: [write(1, 'other')] }],
        ['verdict', { verdicts: [verdict(5)] }],
        ['offset', { applied: { t: '12' } }],
        ['stream time', { streamTime: T0 + 61 }],
      ])('does not take another commit of the same claim for it: another %s', async (_what, more) => {
        const held = await begin();
        await committed(commitOf(held, { writes: [write(1, 'one')], applied: { t: '11' }, streamTime: T0 + 60 }));
        const before = await picture();
        expect(
          await store.commit(
            commitOf(held, { writes: [write(1, 'one')], applied: { t: '11' }, streamTime: T0 + 60, ...more }),
          ),
        ).toEqual({ outcome: 'rewound' });
        expect(await picture()).toEqual(before);
      });

      it('says that it lost a commit', async () => {
        const held = await begin();
        const back = await harness.snapshot();
        const after = await committed(everything(held, 'lost'));
        await back();
        const before = await picture();
        expect(await store.commit(commitOf(after, { writes: [write(1, 'on top')] }))).toEqual({ outcome: 'rewound' });
        expect(await picture()).toEqual(before);
        const anew = await claim();
        expect(anew).toMatchObject({ sequence: 1, applied: { t: '10' }, nextVerdict: 2 });
        await committed(everything(anew, 'again'));
      });

      it('says that it lost the claim, rather than that another owner came', async () => {
        await begin();
        const back = await harness.snapshot();
        const held = await claim(SHARD, harness.other);
        await back();
        expect(await store.commit(everything(held, 'x'))).toEqual({ outcome: 'rewound' });
        expect(await store.owns(SHARD, held.token)).toBe(false);
      });

      it('says that it lost everything', async () => {
        const back = await harness.snapshot();
        const held = await begin();
        await back();
        expect(await store.commit(everything(held, 'x'))).toEqual({ outcome: 'rewound' });
      });

      it('fences an owner whose claim was lost when another came after', async () => {
        await begin();
        const back = await harness.snapshot();
        const lost = await claim();
        await back();
        const present = await claim(SHARD, harness.other);
        expect(await store.commit(everything(lost, 'zombie'))).toEqual({ outcome: 'fenced' });
        await committed(everything(present, 'present'), harness.other);
      });

      it('does not write for an owner whose offsets it does not hold', async () => {
        const held = await begin();
        const wrong = { ...held, applied: { t: '9' } };
        expect(await store.commit(commitOf(wrong, { applied: { t: '11' } }))).toEqual({ outcome: 'rewound' });
        expect(await store.commit(commitOf({ ...held, applied: {} }, { applied: { t: '11' } }))).toEqual({
          outcome: 'rewound',
        });
        expect(await store.commit(commitOf({ ...held, applied: { u: '1' } }))).toEqual({ outcome: 'rewound' });
        await committed(commitOf(held, { applied: { t: '11' } }));
      });

      it('does not write for an owner of a higher or lower sequence', async () => {
        const held = await begin();
        for (const sequence of [held.sequence - 1, held.sequence + 1])
          expect(await store.commit(commitOf({ ...held, sequence }))).toEqual({ outcome: 'rewound' });
      });

      it('lets one of two owners that race commit, and never both', async () => {
        let held = await begin();
        for (let round = 1; round <= 20; round++) {
          const taking = claim(SHARD, harness.other);
          const racing = store.commit(commitOf(held, { writes: [write('race', `former ${round}`)] }));
          const [present, result] = await Promise.all([taking, racing]);
          if (result.outcome === 'committed') expect(present.sequence).toBe(held.sequence + 1);
          else expect([result.outcome, present.sequence]).toEqual(['fenced', held.sequence]);
          held = await committed(commitOf(present, { writes: [write('race', `present ${round}`)] }), harness.other);
          expect(await stateOf('race')).toBe(`present ${round}`);
        }
      });

      it('takes one of several commits of one claim that race', async () => {
        const held = await begin();
        const results = await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            (n % 2 === 0 ? store : harness.other).commit(commitOf(held, { writes: [write('race', `writer ${n}`)] })),
          ),
        );
        const outcomes = results.map(({ outcome }) => outcome).sort();
        expect(outcomes).toEqual(['committed', ...Array.from({ length: 9 }, () => 'rewound')]);
      });

      it('reaches the same end from any point to which it goes back', async () => {
        const inputs = Array.from({ length: 30 }, (_, n) => n);
        /** A tiny consumer: sums its records by payment, and publishes each sum. */
        const consume = async (held: ShardClaim, upTo: number): Promise<ShardClaim> => {
          let now = held;
          for (let offset = Number(now.applied['t'] ?? '0'); offset < upTo; offset++) {
            const id = (inputs[offset] ?? 0) % 4;
            const sum = Number((await stateOf(id)) ?? '0') + offset;
            now = await committed(
              commitOf(now, {
                writes: [write(id, String(sum), { evaluateAt: T0 + sum })],
                applied: { t: String(offset + 1) },
                verdicts: [verdict(sum)],
              }),
            );
          }
          return now;
        };
        let held = await consume(await claim(), 10);
        const back = await harness.snapshot();
        held = await consume(held, 20);
        await back();
        expect(await store.commit(commitOf(held))).toEqual({ outcome: 'rewound' });
        held = await consume(await claim(), 30);
        const sums = [0, 1, 2, 3].map((id) => inputs.filter((n) => n % 4 === id).reduce((sum, n) => sum + n, 0));
        expect(await store.load(SHARD, [0, 1, 2, 3].map(payment))).toEqual(sums.map(String));
        const pending = await store.pendingVerdicts(SHARD, 100);
        expect(pending.map(({ sequence }) => sequence)).toEqual(inputs.map((n) => n + 1));
        expect(held).toMatchObject({ sequence: 30, nextVerdict: 31 });
      });
    });

    describe('expiry', () => {
      it('drops a payment that expires at or before the stream time, with its queue entries', async () => {
        const held = await committed(
          commitOf(await claim(), { writes: [write(1, 'x', { evaluateAt: T0, reads: [read(1, T0)] }), write(2)] }),
        );
        await committed(
          commitOf(held, {
            writes: [write(1, 'y', { expiresAt: T0 + 50, evaluateAt: T0, reads: [read(1, T0)] })],
            streamTime: T0 + 50,
          }),
        );
        expect(await store.load(SHARD, [payment(1), payment(2)])).toEqual([null, '{"id":"2"}']);
        expect(await store.dueEvaluations(SHARD, T0 + DAY_MS, 10)).toEqual([]);
        expect(await store.claimReads(SHARD, T0 + DAY_MS, T0 + DAY_MS, 10)).toEqual([]);
        expect(await scanned(SHARD)).toEqual([payment(2)]);
      });

      it('keeps a state of a stream time long past', async () => {
        await committed(
          commitOf(await claim(), { writes: [write(1, 'old', { expiresAt: 5000 + DAY_MS })], streamTime: 5000 }),
        );
        expect(await stateOf(1)).toBe('old');
      });

      it('keeps a state without an expiry, however far the stream time goes', async () => {
        const writes = [write(1, 'kept', { expiresAt: null, evaluateAt: T0 + 1 })];
        const held = await committed(commitOf(await claim(), { writes }));
        await committed(commitOf(held, { writes: [write(2)], streamTime: T0 + 4_000 * DAY_MS }));
        expect(await stateOf(1)).toBe('kept');
        expect(await scanned(SHARD)).toContain(payment(1));
      });

      it('takes a dropped payment anew', async () => {
        let held = await committed(commitOf(await claim(), { writes: [write(1, 'gone', { expiresAt: T0 })] }));
        held = await committed(commitOf(held, { writes: [write(1, 'back', { evaluateAt: T0 + 1 })] }));
        expect(await stateOf(1)).toBe('back');
        expect(await store.nextEvaluation(SHARD)).toBe(T0 + 1);
      });
    });

    describe('unresolved operations', () => {
      it('tells since when the oldest is, and nothing once all are resolved, dropped or gone back', async () => {
        expect(await store.oldestUnresolved(SHARD)).toBeNull();
        const since = (n: number, ms: number) => write(n, 'x', { unresolvedSince: T0 + ms });
        let held = await committed(commitOf(await claim(), { writes: [since(1, 30), since(2, 10), since(3, 20)] }));
        expect(await store.oldestUnresolved(SHARD)).toBe(T0 + 10);
        const back = await harness.snapshot();
        held = await committed(commitOf(held, { writes: [write(2), since(1, 40)] }));
        expect(await store.oldestUnresolved(SHARD)).toBe(T0 + 20);
        held = await committed(commitOf(held, { writes: [write(3, 'x', { expiresAt: T0 })] }));
        expect(await store.oldestUnresolved(SHARD)).toBe(T0 + 40);
        await committed(commitOf(held, { writes: [write(1)] }));
        expect(await store.oldestUnresolved(SHARD)).toBeNull();
        await back();
        expect(await store.oldestUnresolved(SHARD)).toBe(T0 + 10);
      });
    });

    describe('evaluations', () => {
      it('lists what is due, soonest first, and removes nothing', async () => {
        const at = [50, 10, 40, 20, 30, 60];
        const writes = at.map((ms) => write(ms, 'x', { evaluateAt: T0 + ms }));
        await committed(commitOf(await claim(), { writes }));
        for (let time = 0; time < 2; time++) {
          expect(await store.dueEvaluations(SHARD, T0 + 40, 10)).toEqual(
            [10, 20, 30, 40].map((ms) => ({ paymentKey: payment(ms), dueAt: T0 + ms })),
          );
        }
        expect((await store.dueEvaluations(SHARD, T0 + 60, 2)).map(({ dueAt }) => dueAt - T0)).toEqual([10, 20]);
        expect(await store.dueEvaluations(SHARD, T0 + 60, 0)).toEqual([]);
        expect(await store.dueEvaluations(SHARD, T0 + 9, 10)).toEqual([]);
      });

      it('replaces and removes an entry with the commit that applies it', async () => {
        let held = await committed(commitOf(await claim(), { writes: [write(1, 'x', { evaluateAt: T0 + 10 })] }));
        expect(await store.nextEvaluation(SHARD)).toBe(T0 + 10);
        held = await committed(commitOf(held, { writes: [write(1, 'x', { evaluateAt: T0 + 20 }), write(2)] }));
        expect(await store.dueEvaluations(SHARD, T0 + 19, 10)).toEqual([]);
        expect(await store.nextEvaluation(SHARD)).toBe(T0 + 20);
        await committed(commitOf(held, { writes: [write(1)] }));
        expect(await store.nextEvaluation(SHARD)).toBeNull();
      });

      it('orders equal times by payment key', async () => {
        const writes = ['c', 'a', 'b'].map((id) => write(id, 'x', { evaluateAt: T0 }));
        await committed(commitOf(await claim(), { writes }));
        expect((await store.dueEvaluations(SHARD, T0, 10)).map(({ paymentKey }) => paymentKey)).toEqual(
          ['a', 'b', 'c'].map(payment),
        );
      });

      it('rounds a fraction of a millisecond up, so that nothing comes early', async () => {
        await committed(
          commitOf(await claim(), { writes: [write(1, 'x', { evaluateAt: T0 + 0.5, reads: [read(1, T0 + 0.5)] })] }),
        );
        expect(await store.nextEvaluation(SHARD)).toBe(T0 + 1);
        expect(await store.claimReads(SHARD, T0, T0 + 9, 10)).toEqual([]);
        expect(await store.claimReads(SHARD, T0 + 1, T0 + 9, 10)).toMatchObject([{ dueAt: T0 + 1 }]);
      });
    });

    describe('pending verdicts', () => {
      it('numbers them on, and gives them back as they came', async () => {
        const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
        const odd = { key: 'shopify:s:gid://shopify/Order/1/op "1"\n', value: '{"n":"1\\n2"}\n', traceparent: null };
        const held = await committed(commitOf(await claim(), { verdicts: [verdict(1, trace), odd] }));
        await committed(commitOf(held, { verdicts: [verdict(3)] }));
        expect(await store.pendingVerdicts(SHARD, 10)).toEqual([
          { sequence: 1, ...verdict(1, trace) },
          { sequence: 2, ...odd },
          { sequence: 3, ...verdict(3) },
        ]);
        expect(await store.pendingVerdicts(SHARD, 2)).toHaveLength(2);
        expect(await store.pendingVerdicts(SHARD, 0)).toEqual([]);
      });

      it('trims them for the owner alone', async () => {
        const held = await committed(commitOf(await claim(), { verdicts: [1, 2, 3, 4].map((n) => verdict(n)) }));
        await store.trimVerdicts(SHARD, held.token, 2);
        expect((await store.pendingVerdicts(SHARD, 10)).map(({ sequence }) => sequence)).toEqual([3, 4]);
        await store.trimVerdicts(SHARD, held.token, 1);
        const next = await claim(SHARD, harness.other);
        await store.trimVerdicts(SHARD, held.token, 4);
        expect((await store.pendingVerdicts(SHARD, 10)).map(({ sequence }) => sequence)).toEqual([3, 4]);
        await store.trimVerdicts(SHARD, next.token, 99);
        expect(await store.pendingVerdicts(SHARD, 10)).toEqual([]);
        await committed(commitOf(next, { verdicts: [verdict(5)] }));
        expect(await store.pendingVerdicts(SHARD, 10)).toMatchObject([{ sequence: 5 }]);
      });

      it('lets an owner raise their number past what is published, and never lower it', async () => {
        const held = await committed(commitOf(await claim(), { verdicts: [verdict(1)] }));
        const raised = await committed(commitOf({ ...held, nextVerdict: 60 }, { verdicts: [verdict(2)] }));
        expect(raised.nextVerdict).toBe(61);
        expect((await store.pendingVerdicts(SHARD, 10)).map(({ sequence }) => sequence)).toEqual([1, 60]);
        expect(await store.commit(commitOf({ ...raised, nextVerdict: 2 }, { verdicts: [verdict(3)] }))).toEqual({
          outcome: 'rewound',
        });
        await store.trimVerdicts(SHARD, raised.token, 59);
        expect((await store.pendingVerdicts(SHARD, 10)).map(({ sequence }) => sequence)).toEqual([60]);
        expect((await claim()).nextVerdict).toBe(61);
      });
    });

    describe('reads', () => {
      const LEASE = T0 + 30_000;
      const put = (held: ShardClaim, reads: readonly DueRead[], id: string | number = 1): Promise<ShardClaim> =>
        committed(commitOf(held, { writes: [write(id, 'x', { reads })] }));
      const attempts = (reads: readonly DueRead[]): number[] => reads.map(({ attempt }) => attempt);

      it('leases what is due, whole, and once', async () => {
        const list = read(0, T0 + 5, {
          channel: 'payment_readback',
          resourceId: null,
          purpose: 'list',
          operationId: 'op "2"',
        });
        await put(await claim(), [read(1, T0 + 10), list, read(2, T0 + 20)]);
        expect(await store.claimReads(SHARD, T0 + 4, LEASE, 10)).toEqual([]);
        const claimed = await store.claimReads(SHARD, T0 + 10, LEASE, 10);
        expect([...claimed].sort((a, b) => a.dueAt - b.dueAt)).toEqual([
          { ...list, shard: SHARD, paymentKey: payment(1), lease: expect.any(String) },
          { ...read(1, T0 + 10), shard: SHARD, paymentKey: payment(1), lease: expect.any(String) },
        ]);
        expect(await harness.other.claimReads(SHARD, T0 + 10, LEASE, 10)).toEqual([]);
        expect(attempts(await store.claimReads(SHARD, T0 + 20, LEASE, 10))).toEqual([2]);
      });

      it('never leases more than asked, and the soonest payment first', async () => {
        const writes = [30, 10, 20].map((ms) =>
          write(ms, 'x', { reads: [read(ms, T0 + ms), read(ms + 1, T0 + ms), read(ms + 2, T0 + ms)] }),
        );
        await committed(commitOf(await claim(), { writes }));
        const seen: number[] = [];
        for (const count of [2, 2, 0, 4]) {
          const claimed = await store.claimReads(SHARD, T0 + 30, LEASE, count);
          expect(claimed).toHaveLength(count);
          seen.push(...attempts(claimed));
        }
        expect(attempts(await store.claimReads(SHARD, T0 + 30, LEASE, 10))).toHaveLength(1);
        expect(seen.slice(0, 3).sort()).toEqual([10, 11, 12]);
        expect(seen.slice(3, 6).sort()).toEqual([20, 21, 22]);
      });

      it('gives each due read to one of two workers that ask at once', async () => {
        const writes = Array.from({ length: 200 }, (_, n) => write(n, 'x', { reads: [read(n, T0)] }));
        await committed(commitOf(await claim(), { writes }));
        const claimed = await Promise.all(
          Array.from({ length: 20 }, (_, n) => (n % 2 ? store : harness.other).claimReads(SHARD, T0, LEASE, 13)),
        );
        expect(attempts(claimed.flat()).sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n));
      });

      it('gives a read back when its lease runs out', async () => {
        await put(await claim(), [read(1, T0)]);
        const [crashed] = await store.claimReads(SHARD, T0, LEASE, 10);
        expect(await store.claimReads(SHARD, LEASE - 1, LEASE, 10)).toEqual([]);
        const [next] = await harness.other.claimReads(SHARD, LEASE, LEASE + 100, 10);
        expect(next).toMatchObject({ attempt: 1, dueAt: T0 });
        if (crashed === undefined) throw new Error('nothing was claimed');
        expect(next?.lease).not.toBe(crashed.lease);
        await store.releaseRead(crashed, T0);
        expect(await store.claimReads(SHARD, LEASE + 99, LEASE + 200, 10)).toEqual([]);
      });

      it('makes a released read due when its holder says', async () => {
        await put(await claim(), [read(1, T0), read(2, T0 + 500)]);
        const [held] = await store.claimReads(SHARD, T0, LEASE, 1);
        if (held === undefined) throw new Error('nothing was claimed');
        await store.releaseRead(held, T0 + 1000);
        expect(attempts(await store.claimReads(SHARD, T0 + 999, LEASE, 10))).toEqual([2]);
        expect(attempts(await store.claimReads(SHARD, T0 + 1000, LEASE, 10))).toEqual([1]);
      });

      it('does not offer a read again that is done', async () => {
        await put(await claim(), [read(1, T0)]);
        const [held] = await store.claimReads(SHARD, T0, LEASE, 10);
        if (held === undefined) throw new Error('nothing was claimed');
        await store.releaseRead(held, null);
        await store.releaseRead(held, T0);
        expect(await store.claimReads(SHARD, LEASE + DAY_MS, LEASE + DAY_MS, 10)).toEqual([]);
      });

      it('replaces the reads of a payment, and forgets leases of those that are no longer wanted', async () => {
        let owner = await put(await claim(), [read(1, T0), read(2, T0)]);
        const [first] = await store.claimReads(SHARD, T0, LEASE, 1);
        if (first === undefined) throw new Error('nothing was claimed');
        owner = await put(owner, [read(3, T0 + 5)]);
        await store.releaseRead(first, T0);
        expect(attempts(await store.claimReads(SHARD, LEASE + 1, LEASE + 9, 10))).toEqual([3]);
        await put(owner, []);
        expect(await store.claimReads(SHARD, LEASE + DAY_MS, LEASE + DAY_MS, 10)).toEqual([]);
      });

      it('keeps the lease of a read that a commit states again', async () => {
        const owner = await put(await claim(), [read(1, T0)]);
        const [held] = await store.claimReads(SHARD, T0, LEASE, 10);
        if (held === undefined) throw new Error('nothing was claimed');
        await put(owner, [read(1, T0), read(7, T0 + 3, { channel: 'payment_readback' })]);
        expect(attempts(await store.claimReads(SHARD, T0 + 3, LEASE + 10, 10))).toEqual([7]);
        await store.releaseRead(held, T0 + 50);
        expect(await store.claimReads(SHARD, T0 + 49, LEASE, 10)).toEqual([]);
        expect(attempts(await store.claimReads(SHARD, T0 + 50, LEASE, 10))).toEqual([1]);
      });

      it('keeps the new time of a released read that a commit states again', async () => {
        const owner = await put(await claim(), [read(1, T0)]);
        const [held] = await store.claimReads(SHARD, T0, LEASE, 10);
        if (held === undefined) throw new Error('nothing was claimed');
        await store.releaseRead(held, T0 + 50);
        await put(owner, [read(1, T0)]);
        expect(await store.claimReads(SHARD, T0 + 49, LEASE, 10)).toEqual([]);
        expect(attempts(await store.claimReads(SHARD, T0 + 50, LEASE, 10))).toEqual([1]);
      });

      it('holds a done read back until its lease would have ended, when a commit still states it', async () => {
        let owner = await put(await claim(), [read(1, T0)]);
        const [held] = await store.claimReads(SHARD, T0, LEASE, 10);
        if (held === undefined) throw new Error('nothing was claimed');
        await store.releaseRead(held, null);
        owner = await put(owner, [read(1, T0)]);
        owner = await put(owner, [read(1, T0)]);
        expect(await store.claimReads(SHARD, LEASE - 1, LEASE + 10, 10)).toEqual([]);
        expect(attempts(await store.claimReads(SHARD, LEASE, LEASE + 10, 10))).toEqual([1]);
        await put(owner, [read(1, T0)]);
        expect(await store.claimReads(SHARD, LEASE + 9, LEASE + 20, 10)).toEqual([]);
      });

      it('takes a read that is due at another time for a new one', async () => {
        const owner = await put(await claim(), [read(1, T0)]);
        const [held] = await store.claimReads(SHARD, T0, LEASE, 10);
        if (held === undefined) throw new Error('nothing was claimed');
        await store.releaseRead(held, null);
        await put(owner, [read(1, T0 + 20)]);
        expect(await store.claimReads(SHARD, T0 + 19, LEASE, 10)).toEqual([]);
        expect(attempts(await store.claimReads(SHARD, T0 + 20, LEASE, 10))).toEqual([1]);
      });

      it('ignores the release of a read whose payment is not there', async () => {
        await claim();
        await store.releaseRead({ ...read(1, T0), shard: SHARD, paymentKey: payment('none'), lease: 'x' }, T0);
        expect(await store.claimReads(SHARD, LEASE, LEASE, 10)).toEqual([]);
      });
    });

    it('tells every payment of a shard', async () => {
      const ids = Array.from({ length: 2500 }, (_, n) => n);
      await committed(commitOf(await claim(), { writes: ids.map((id) => write(id, `of ${id}`)) }));
      await committed(commitOf(await claim(SHARD + 1), { writes: [write('elsewhere')] }));
      const found = new Map<string, string>();
      for await (const { paymentKey, value } of store.scan(SHARD)) found.set(paymentKey, value);
      expect(found).toEqual(new Map(ids.map((id) => [payment(id), `of ${id}`])));
    });

    it('refuses a partition count that differs from the stored one', async () => {
      await store.checkPartitionCount(12);
      await harness.other.checkPartitionCount(12);
      await expect(harness.other.checkPartitionCount(16)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/16 partitions.*12/),
      });
      await store.checkPartitionCount(12);
    });
  });
};
