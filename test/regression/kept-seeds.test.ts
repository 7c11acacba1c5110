import { expect, test } from 'vitest';
import { keptSeeds } from '../simulation/house/kept-seed.ts';
import { printHouseBreach } from '../simulation/house/print-house.ts';
import { simulateHouse } from '../simulation/house/simulate-house.ts';

/** `npm run simulate -- --seed N --keep` writes them. */
test.each(keptSeeds().map((kept) => [kept.seed, kept.mistake, kept] as const))(
  'seed %i holds, by which %s',
  async (seed, _mistake, { plan }) => {
    const house = await simulateHouse(seed, { plan, isTraced: true });
    const [breach] = house.breaches;
    expect(breach === undefined ? null : printHouseBreach(breach, house)).toBeNull();
  },
);
