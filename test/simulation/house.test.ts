import { describe, expect, it } from 'vitest';
import { isLarge } from './draw-size.ts';
import { printHouseBreach } from './house/print-house.ts';
import { shrinkHouse } from './house/shrink-house.ts';
import { simulateHouse } from './house/simulate-house.ts';

/** Fixed seeds, and some drawn from the day (or COUNTERSIGN_TEST_SEED): together about a minute of one core. */
const FIXED = 40;
const OF_THE_DAY = 8;
/** Few enough that a test keeps to its time on a machine that is busy with ten other things. */
const BATCH = 2;
const TIMEOUT_MS = 120_000;

const day = Number(process.env['COUNTERSIGN_TEST_SEED'] ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''));

/** The first seeds from one on whose worlds are small: a large one takes minutes, and has a test of its own. */
const batches = (from: number, count: number): number[][] => {
  const small = Array.from({ length: count * 2 }, (_, index) => from + index).filter((seed) => !isLarge(seed));
  return Array.from({ length: count / BATCH }, (_, batch) => small.slice(batch * BATCH, (batch + 1) * BATCH));
};

/** The shortest form of a seed's first breach; null where there is none. */
const breachOf = async (seed: number): Promise<string | null> => {
  const house = await simulateHouse(seed);
  const [first] = house.breaches;
  if (first === undefined) return null;
  const shortest = await shrinkHouse(house, first);
  return printHouseBreach(shortest.breach, shortest.house);
};

describe('a simulated house', () => {
  it.each(batches(1, FIXED))(
    'holds to the truth from seed %i on',
    async (...seeds) => {
      for (const seed of seeds) expect(await breachOf(seed)).toBeNull();
    },
    TIMEOUT_MS,
  );

  it.each(batches(day * 100, OF_THE_DAY))(
    'holds to the truth from the seed of the day, %i, on',
    async (...seeds) => {
      for (const seed of seeds) expect(await breachOf(seed)).toBeNull();
    },
    TIMEOUT_MS,
  );

  it(
    'holds to the truth from seed 65, which plays dozens of payments at once',
    async () => {
      expect(isLarge(65)).toBe(true);
      expect(await breachOf(65)).toBeNull();
    },
    TIMEOUT_MS,
  );

  it(
    'runs the same, line by line, each time that it is given the same seed',
    async () => {
      for (const seed of [3, 52, 70]) {
        const [one, other] = [
          await simulateHouse(seed, { isTraced: true }),
          await simulateHouse(seed, { isTraced: true }),
        ];
        expect(one.trace.length).toBeGreaterThan(20);
        expect(one.trace).toEqual(other.trace);
        expect(one.digest).toBe(other.digest);
        expect(one.run.verdicts).toEqual(other.run.verdicts);
      }
    },
    TIMEOUT_MS,
  );

  it('runs otherwise with another seed', async () => {
    expect((await simulateHouse(3)).digest).not.toBe((await simulateHouse(4)).digest);
  });
});
