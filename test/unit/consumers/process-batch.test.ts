import { describe, expect, it } from 'vitest';
import { decodeLogLine } from '../../../src/consumers/decode-log-line.ts';
import { type DecodedRecord, isUndecodable, type Undecodable } from '../../../src/consumers/decoded-record.ts';
import {
  type BatchOwner,
  evaluateDue,
  type ProcessedBatch,
  processBatch,
} from '../../../src/consumers/process-batch.ts';
import { RecordClock } from '../../../src/consumers/record-clock.ts';
import { StateCache } from '../../../src/consumers/state-cache.ts';
import { MemoryShardStore } from '../../../src/drivers/memory/shard-store.ts';
import { REKEYED_HEADER, TRACEPARENT_HEADER } from '../../../src/ports/consumed-record.ts';
import type { ShardClaim } from '../../../src/ports/shard-store.ts';
import { trustingDeps } from '../../support/batch-deps.ts';
import { CAPTURE, settled, started, webhook } from '../../support/paypal-log.ts';

const deps = trustingDeps();
const KEY = `paypal:merchant-1:${CAPTURE}`;
const DAY = 86_400_000;

interface Rig {
  readonly owner: BatchOwner & { claim: ShardClaim };
  readonly clock: RecordClock;
  readonly store: MemoryShardStore;
  run(records: readonly (DecodedRecord | Undecodable)[]): Promise<ProcessedBatch>;
  commit(batch: Pick<ProcessedBatch, 'commit' | 'written'>): Promise<void>;
}

const rig = async (partitionOf: BatchOwner['partitionOf'] = null): Promise<Rig> => {
  const store = new MemoryShardStore();
  const clock = new RecordClock();
  const claim = await store.claim(0, 'owner');
  const owner = {
    shard: 0,
    store,
    cache: new StateCache({ entries: 10, chars: 1_000_000 }),
    claim: claim as ShardClaim,
    partitionOf,
  };
  return {
    owner,
    clock,
    store,
    run: (records) =>
      processBatch(
        deps,
        owner,
        records,
        (record, code) => clock.reach(record, code),
        () => clock.now,
      ),
    commit: async ({ commit, written }) => {
      const result = await store.commit(commit);
      if (result.outcome !== 'committed') throw new Error(result.outcome);
      owner.claim = result.claim;
      for (const { paymentKey, state, expiresAt, chars } of written)
        owner.cache.set(paymentKey, state, expiresAt, chars);
    },
  };
};

const decoded = (lines: readonly string[], headers: Record<string, string> = {}): (DecodedRecord | Undecodable)[] =>
  lines.map((line, index) => {
    const record = decodeLogLine('log', index + 1, line);
    return isUndecodable(record) ? record : { ...record, headers };
  });

const verdictsOf = (batch: Pick<ProcessedBatch, 'commit'>): string[] =>
  batch.commit.verdicts.map(({ value }) => (JSON.parse(value) as { verdict: string }).verdict);

describe('a batch of records', () => {
  it('comes to one commit: the state, the verdicts in order, and the offsets after the last record', async () => {
    const { run, owner } = await rig();
    const batch = await run(decoded(settled('op-1', 'R1')));
    expect(verdictsOf(batch)).toEqual(['PENDING', 'VERIFIED']);
    expect(batch.commit.verdicts.map(({ key }) => key)).toEqual([`${KEY}/op-1`, `${KEY}/op-1`]);
    expect(batch.commit.writes.map(({ paymentKey }) => paymentKey)).toEqual([KEY]);
    expect(batch.commit.applied).toEqual({ log: '5' });
    expect(batch.commit.claim).toBe(owner.claim);
    expect(batch.counts.ofOutcome('applied')).toBe(4);
    expect(batch.deadLetters).toEqual([]);
  });

  it('changes nothing before it is committed: run again, it says the same', async () => {
    const { owner } = await rig();
    const process = (): Promise<ProcessedBatch> => {
      const clock = new RecordClock();
      const records = decoded(settled('op-1', 'R1'));
      return processBatch(
        deps,
        owner,
        records,
        (record, code) => clock.reach(record, code),
        () => clock.now,
      );
    };
    const first = await process();
    expect((await process()).commit).toEqual(first.commit);
  });

  it('builds on the state of the batch before, from the cache and from the store alike', async () => {
    const [one, two, three, four] = settled('op-1', 'R1');
    for (const isCached of [true, false]) {
      const { run, commit, owner } = await rig();
      await commit(await run(decoded([one ?? '', two ?? ''])));
      if (!isCached) owner.cache.clear();
      expect(verdictsOf(await run(decoded([three ?? '', four ?? ''])))).toEqual(['VERIFIED']);
    }
  });

  it('sends what is no record, and what is no evidence, to dead-letter, and applies the rest', async () => {
    const { run } = await rig();
    const batch = await run(
      decoded(['{"topic":"nowhere"}', started('op-1', 0), '{"topic":"operation-started","value":{"kind":"x"}}']),
    );
    expect(batch.deadLetters.map(({ index, code }) => [index, code])).toEqual([
      [0, 'RECORD_MALFORMED'],
      [2, 'RECORD_KIND_WRONG'],
    ]);
    expect(verdictsOf(batch)).toEqual(['PENDING']);
    expect(batch.commit.applied).toEqual({ log: '4' });
  });

  it('counts the repeats of an event that are dropped, also those of an earlier batch', async () => {
    const { run, commit } = await rig();
    const event = webhook('WH-1', 4, { refund: 'R1' });
    const first = await run(decoded([event, event]));
    expect([...first.counts.repeats]).toEqual([['paypal', 1]]);
    await commit(first);
    expect([...(await run(decoded([event, event]))).counts.repeats]).toEqual([['paypal', 2]]);
    expect([...(await run(decoded([started('op-1', 0)]))).counts.repeats]).toEqual([]);
  });

  it('dead-letters a conflicting start at its own place, and the first stands', async () => {
    const { run } = await rig();
    const batch = await run(decoded([started('op-1', 0), started('op-1', 0, CAPTURE, '99.00')]));
    expect(batch.deadLetters).toMatchObject([{ index: 1, code: 'OPERATION_CONFLICT' }]);
    expect(verdictsOf(batch)).toEqual(['PENDING']);
  });

  it('re-keys a record of another partition once, and dead-letters it the second time', async () => {
    const { run } = await rig(() => 3);
    const lines = [webhook('WH-1', 1, { refund: 'R1' })];
    const first = await run(decoded(lines));
    expect(first.rekeys).toEqual([{ index: 0, paymentKey: KEY, partition: 3 }]);
    expect(first.commit.writes).toEqual([]);
    const second = await run(decoded(lines, { [REKEYED_HEADER]: '0:1' }));
    expect(second.rekeys).toEqual([]);
    expect(second.deadLetters).toMatchObject([{ index: 0, code: 'WRONG_PARTITION' }]);
  });

  it('carries the trace context of the record that caused a verdict', async () => {
    const { run } = await rig();
    const records = settled('op-1', 'R1').flatMap((line, index) =>
      decoded([line], { [TRACEPARENT_HEADER]: `trace-${index}` }),
    );
    const batch = await run(records);
    expect(batch.commit.verdicts.map(({ traceparent }) => traceparent)).toEqual(['trace-0', 'trace-3']);
  });
});

describe('what falls due', () => {
  it('is evaluated at its own instant, page by page, until nothing is', async () => {
    const { run, commit, owner, clock } = await rig();
    const captures = ['A', 'B', 'C'].map((letter) => `${letter}C679366HH908993R`);
    await commit(await run(decoded(captures.map((capture, index) => started(`op-${index}`, index, capture)))));
    const upTo = clock.now + 4 * DAY;
    const verdicts: { verdict: string; decided_at: string; operation_id: string }[] = [];
    let pages = 0;
    for (
      let due = await evaluateDue(deps, owner, upTo, 2);
      due !== null;
      due = await evaluateDue(deps, owner, upTo, 2)
    ) {
      pages += 1;
      verdicts.push(...due.commit.verdicts.map(({ value }) => JSON.parse(value)));
      await commit(due);
    }
    expect(pages).toBe(2);
    expect(verdicts.map(({ operation_id, verdict, decided_at }) => [operation_id, verdict, decided_at])).toEqual([
      ['op-0', 'UNVERIFIABLE', '2026-09-04T12:00:00.000Z'],
      ['op-1', 'UNVERIFIABLE', '2026-09-04T12:00:01.000Z'],
      ['op-2', 'UNVERIFIABLE', '2026-09-04T12:00:02.000Z'],
    ]);
  });

  it.each([
    ['cached', (owner: BatchOwner): void => void owner.cache.size],
    ['read from the store', (owner: BatchOwner): void => owner.cache.clear()],
  ])('judges an operation whose deadline lies months behind the time it meets, %s', async (_how, prepare) => {
    const { run, commit, owner, store } = await rig();
    await commit(await run(decoded([started('op-1', 0)])));
    const late = { paymentKey: 'paypal:merchant-1:other', value: '{}', expiresAt: null, evaluateAt: null, reads: [] };
    const now = Date.parse('2027-03-01T00:00:00Z');
    await commit({
      commit: { claim: owner.claim, writes: [late], applied: owner.claim.applied, verdicts: [], streamTime: now },
      written: [],
    });
    prepare(owner);
    const due = await evaluateDue(deps, owner, now);
    if (due === null) throw new Error('nothing is due');
    expect(verdictsOf(due)).toEqual(['UNVERIFIABLE']);
    await commit(due);
    // Judged and watched, as of the deadline: there is nothing more to keep it for.
    expect(await store.load(0, [KEY])).toEqual([null]);
    expect(await evaluateDue(deps, owner, now)).toBeNull();
  });

  it('leaves the queue where its payment has expired meanwhile', async () => {
    const { store, owner } = await rig();
    const gone = { ...owner, store: { load: async () => [null], dueEvaluations: store.dueEvaluations.bind(store) } };
    const result = await store.commit({
      claim: owner.claim,
      applied: {},
      streamTime: 10,
      verdicts: [],
      writes: [{ paymentKey: KEY, value: '{}', expiresAt: 1000, evaluateAt: 20, reads: [] }],
    });
    if (result.outcome !== 'committed') throw new Error(result.outcome);
    const due = await evaluateDue(deps, { ...gone, claim: result.claim }, 30);
    if (due === null) throw new Error('nothing is due');
    await store.commit(due.commit);
    expect(await store.nextEvaluation(0)).toBeNull();
  });
});
