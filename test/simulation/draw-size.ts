import { Random } from './random.ts';

/** Of a hundred seeds, how many play many payments at once. */
const LARGE = 0.06;

const scaleOf = (seed: number): Random => new Random(seed).fork('scale');

/** Whether a seed plays hundreds of payments. */
export const isLarge = (seed: number): boolean => scaleOf(seed).chance(LARGE);

/**
 * How many payments the world of a seed has at most. Nearly all are small: they find most, and shrink well. A few hold hundreds,
 * which meet in batches, caches, queues and limits.
 *
 * @param usual of a world that is not large
 */
export const drawSize = (seed: number, usual: number, largest: number): number => {
  const random = scaleOf(seed);
  if (!random.chance(LARGE)) return usual;
  return random.pick([largest / 32, largest / 8, largest / 4, largest]);
};
