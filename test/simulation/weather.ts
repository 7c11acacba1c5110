import type { EpochMs } from '../../src/evaluator/index.ts';
import type { Random } from './random.ts';

/** How badly things go in one run: every seed draws its own mix, calm in one thing and wild in another. */
export interface Weather {
  /** signed and checked, forgeries among them; else the gateway's word is taken */
  readonly isSigned: boolean;
  readonly eventDelayMs: number;
  readonly eventLost: number;
  readonly eventDoubled: number;
  readonly forged: number;
  /** of operation records */
  readonly recordDelayMs: number;
  readonly recordDoubled: number;
  readonly actedLost: number;
  readonly readFailed: number;
  readonly readLost: number;
  readonly readDelayMs: number;
  readonly readDoubled: number;
  /** how far behind the provider's answers may lie; within the contracts' stale read window */
  readonly readLagMs: number;
  /** whether the contracts' own backoff is kept, or widened so that long waits take fewer reads */
  readonly isShippedBackoff: boolean;
  /** now and then a provider takes many seconds for an answer */
  readonly isProviderSlow: boolean;
  /** from when newer versions of the contracts are in effect, of the same rules; null: there are none */
  readonly nextVersionsFrom: EpochMs | null;
}

const rate = (random: Random, wild: number): number => (random.chance(0.5) ? 0 : random.pick([wild / 5, wild]));

export const drawWeather = (random: Random, startsAt: EpochMs): Weather => ({
  isSigned: random.chance(0.5),
  eventDelayMs: random.pick([0, 5000, 60_000, 600_000, 6 * 3_600_000]),
  eventLost: rate(random, 0.4),
  eventDoubled: rate(random, 0.5),
  forged: rate(random, 1),
  recordDelayMs: random.pick([0, 0, 1000, 20_000, 90_000, 7_200_000]),
  recordDoubled: rate(random, 0.4),
  actedLost: rate(random, 0.2),
  readFailed: rate(random, 0.5),
  readLost: rate(random, 0.2),
  readDelayMs: random.pick([0, 0, 2000, 60_000]),
  readDoubled: rate(random, 0.3),
  readLagMs: random.pick([0, 0, 2000, 15_000]),
  isShippedBackoff: random.chance(0.03),
  isProviderSlow: random.chance(0.3),
  nextVersionsFrom: random.chance(0.3) ? startsAt + random.int(1_800_000, 10_800_000) : null,
});
