import { describe, expect, it } from 'vitest';
import { checkRun } from './checks.ts';
import { printBreach } from './print.ts';
import { simulate } from './run.ts';
import { shrink } from './shrink.ts';

/** Fixed seeds, so that a run is the same everywhere, and as many drawn from the day. */
const FIXED = 150;
const OF_THE_DAY = 30;
const BATCH = 10;

const day = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));

/** The shortest form of a seed's first breach; null where there is none. */
const breachOf = (seed: number): string | null => {
  const run = simulate(seed);
  const [first] = checkRun(run);
  if (first === undefined) return null;
  const shortest = shrink(run, first) ?? { run, breach: first };
  return printBreach(shortest.breach, shortest.run);
};

const batches = (from: number, count: number): number[][] =>
  Array.from({ length: count / BATCH }, (_, batch) =>
    Array.from({ length: BATCH }, (_, index) => from + batch * BATCH + index),
  );

describe('simulated refund worlds', () => {
  it.each(batches(1, FIXED))('hold to the truth from seed %i on', (...seeds) => {
    for (const seed of seeds) expect(breachOf(seed)).toBeNull();
  });

  it.each(batches(day * 100, OF_THE_DAY))('hold to the truth from the seed of the day, %i, on', (...seeds) => {
    for (const seed of seeds) expect(breachOf(seed)).toBeNull();
  });
});
