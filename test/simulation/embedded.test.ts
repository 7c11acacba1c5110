import { expect, it } from 'vitest';
import { simulateEmbedded } from './house/embedded.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];

it('keeps what it has acknowledged, through full disks and crashes in the middle of a write', async () => {
  let [crashes, fullDisks] = [0, 0];
  for (const seed of SEEDS) {
    const run = await simulateEmbedded(seed);
    expect(run.differences, `seed ${seed}`).toEqual([]);
    crashes += run.crashes;
    fullDisks += run.fullDisks;
  }
  // Neither would be worth much otherwise.
  expect(crashes).toBeGreaterThan(5);
  expect(fullDisks).toBeGreaterThan(5);
}, 120_000);
