import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutRuns, type Slice } from '../../../src/consumers/cut-runs.ts';
import type { ConsumedRecord } from '../../../src/ports/consumed-record.ts';
import type { FetchedBatch } from '../../../src/ports/input-log.ts';

const record = (topic: string, offset: number, timestamp: number): ConsumedRecord => ({
  topic,
  partition: 0,
  offset: String(offset),
  timestamp,
  key: null,
  value: Buffer.alloc(0),
  headers: {},
});

/** A batch of records at these times, with a marker of a transaction behind them. */
const batch = (topic: string, from: number, times: readonly number[]): FetchedBatch => ({
  shard: 0,
  topic,
  from: BigInt(from),
  records: times.map((time, index) => record(topic, from + index, time)),
  next: BigInt(from + times.length + 1),
  end: 1_000n,
  fetchedAt: 9,
});

const shown = (runs: readonly Slice[][]): string[][] =>
  runs.map((run) => run.map(({ topic, records, next }) => `${topic} ${records.map(({ offset }) => offset)} ${next}`));

test('a run takes the oldest records of every topic', () => {
  const runs = cutRuns([batch('a', 0, [1, 2, 30, 40]), batch('b', 5, [3, 4, 50])], 4);
  expect(shown(runs)).toEqual([
    ['a 0,1 2', 'b 5,6 7'],
    ['a 2,3 5', 'b 7 9'],
  ]);
});

test('a record that is older than the one before it keeps its place in its topic', () => {
  const runs = cutRuns([batch('a', 0, [5, 0, 1]), batch('b', 0, [2, 6])], 2);
  expect(shown(runs)).toEqual([['a 0 1', 'b 0 1'], ['a 1,2 4'], ['b 1 3']]);
});

test('a batch of nothing but markers goes with the first run', () => {
  expect(shown(cutRuns([batch('a', 3, [])], 2))).toEqual([['a  4']]);
  expect(shown(cutRuns([batch('a', 3, []), batch('b', 0, [1, 2, 3])], 2))).toEqual([['a  4', 'b 0,1 2'], ['b 2 4']]);
  expect(cutRuns([], 2)).toEqual([]);
});

const batches = fc
  .array(fc.record({ topic: fc.constantFrom('a', 'b', 'c'), times: fc.array(fc.nat(9), { maxLength: 12 }) }), {
    maxLength: 6,
  })
  .map((drawn) => {
    const from = new Map<string, number>();
    return drawn.map(({ topic, times }) => {
      const one = batch(topic, from.get(topic) ?? 0, times);
      from.set(topic, Number(one.next));
      return one;
    });
  });

test('every record is in one run, in its topic’s order, and every run is as full as it can be', () => {
  fc.assert(
    fc.property(batches, fc.integer({ min: 1, max: 5 }), (given, limit) => {
      const runs = cutRuns(given, limit);
      const sizes = runs.map((run) => run.reduce((sum, { records }) => sum + records.length, 0));
      expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true);
      expect(sizes.every((size) => size <= limit)).toBe(true);
      for (const topic of ['a', 'b', 'c']) {
        const slices = runs.flat().filter((slice) => slice.topic === topic);
        const batchesOf = given.filter((one) => one.topic === topic);
        expect(slices.flatMap(({ records }) => records)).toEqual(batchesOf.flatMap(({ records }) => records));
        expect(slices.at(-1)?.next).toBe(batchesOf.at(-1)?.next);
        for (const { records, next } of slices) expect(next > BigInt(records.at(-1)?.offset ?? -1)).toBe(true);
      }
    }),
  );
});
