import type { EpochMs } from '../../../src/evaluator/index.ts';
import type { Random } from '../random.ts';

/** What a house does beside judging refunds, drawn from a seed of its own: seeds that were kept before have none of it. */
export interface Beside {
  /**
   * How verdicts are sealed. `rotated`: another key comes into force while the house runs, known before; `late`: its processes
   * learn of it some minutes after.
   */
  readonly sealing: 'none' | 'one-key' | 'rotated' | 'late';
  /** how long after the beginning the other key comes into force */
  readonly rotatesAfterMs: number;
  /** charges for which plans are asked */
  readonly charges: number;
  /** what is written in Avro: nothing, verdicts and answers alone, or everything that our own processes write */
  readonly avro: 'none' | 'outputs' | 'all';
}

export const NOTHING_BESIDE: Beside = { sealing: 'none', rotatesAfterMs: 0, charges: 0, avro: 'none' };

export const drawBeside = (random: Random): Beside => ({
  sealing: random.pick(['none', 'one-key', 'one-key', 'rotated', 'late']),
  rotatesAfterMs: random.int(600_000, 3 * 3_600_000),
  charges: random.pick([0, 0, 1, 2, 4]),
  avro: random.pick(['none', 'none', 'outputs', 'all']),
});

/** The registry is away while something happens; drawn only where anybody asks it. */
export const drawRegistryFaults = (
  random: Random,
  { avro }: Beside,
  times: readonly EpochMs[],
): { readonly at: EpochMs; readonly kind: 'registry-away'; readonly forMs: number }[] => {
  if (avro === 'none' || times.length === 0 || random.chance(0.5)) return [];
  return Array.from({ length: random.int(1, 3) }, () => ({
    at: random.pick(times) + random.int(-60_000, 3_000),
    kind: 'registry-away' as const,
    forMs: random.pick([1_000, 30_000, 300_000]),
  }));
};
