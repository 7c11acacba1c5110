import type { EpochMs } from '../../../src/evaluator/index.ts';
import type { FaultPoint } from '../../../src/ports/fault-points.ts';
import type { Delivered } from '../item.ts';
import type { Random } from '../random.ts';
import { type Beside, drawBeside, drawRegistryFaults } from './beside.ts';

/** How large a house a seed builds, and how patient it is. */
export interface HouseMix {
  readonly partitions: number;
  readonly brokers: number;
  readonly processes: number;
  readonly workers: number;
  readonly gateways: number;
  readonly batchRecords: number;
  readonly cachePayments: number;
  readonly kafkaLatencyMs: number;
  readonly redisLatencyMs: number;
  readonly fetchMaxWaitMs: number;
  readonly dueCheckMs: number;
  readonly readPollMs: number;
  readonly leaseMs: number;
  readonly ratePerSecond: number;
  readonly isTransactional: boolean;
  /** of the events, how many do not come in by our gateway but by one that keys as it likes */
  readonly strayEvents: number;
  /** poison records on the input topics, in all */
  readonly poison: number;
  readonly faults: readonly PlannedFault[];
  /** left out: nothing */
  readonly beside?: Beside;
}

/** What goes wrong in the house, and when. Durations are milliseconds of the house's own time. */
export type PlannedFault = { readonly at: EpochMs } & (
  | { readonly kind: 'crash-at'; readonly point: FaultPoint; readonly times: number; readonly downMs: number }
  | { readonly kind: 'crash'; readonly role: Role; readonly downMs: number }
  | { readonly kind: 'pause'; readonly role: Role; readonly forMs: number }
  /**
   * The next such request of a consumer, and all after it, stay on their way until another has claimed a shard, and for as many
   * more of the network's latencies.
   */
  | { readonly kind: 'cut-off'; readonly doing: string; readonly latencies: number }
  | { readonly kind: 'join' }
  | { readonly kind: 'leave'; readonly awayMs: number }
  | { readonly kind: 'deploy' }
  | { readonly kind: 'redis-away'; readonly forMs: number }
  | { readonly kind: 'redis-failover'; readonly writes: number; readonly awayMs: number }
  | { readonly kind: 'kafka-away'; readonly forMs: number }
  | { readonly kind: 'registry-away'; readonly forMs: number }
  | { readonly kind: 'flaky'; readonly server: 'kafka' | 'redis'; readonly lost: number; readonly forMs: number }
);

export type Role = 'process' | 'worker' | 'gateway';

const POINTS: readonly FaultPoint[] = [
  'before-decode',
  'after-decode',
  'before-dead-letter',
  'after-dead-letter',
  'before-commit',
  'after-commit',
  'before-publish',
  'publish-begun',
  'publish-sent',
  'before-offset',
  'after-offset',
  'after-publish',
  'after-trim',
];

type DrawFault = (random: Random, at: EpochMs) => PlannedFault;

const downMs = (random: Random): number => random.pick([10, 500, 5_000, 40_000, 200_000]);

/** kind → how it is drawn. Every seed takes some of the kinds, so that each is met alone and in company. */
const DRAWN: Readonly<Record<Exclude<PlannedFault['kind'], 'registry-away'>, DrawFault>> = {
  'crash-at': (random, at) => ({
    at,
    kind: 'crash-at',
    point: random.pick(POINTS),
    times: random.int(1, 4),
    downMs: downMs(random),
  }),
  crash: (random, at) => ({
    at,
    kind: 'crash',
    role: random.pick(['process', 'process', 'worker', 'gateway']),
    downMs: downMs(random),
  }),
  pause: (random, at) => ({
    at,
    kind: 'pause',
    role: random.pick(['process', 'process', 'worker']),
    forMs: random.pick([200, 3_000, random.int(26_000, 38_000), 100_000, 400_000]),
  }),
  'cut-off': (random, at) => ({
    at,
    kind: 'cut-off',
    doing: random.pick(['end transaction', 'end transaction', 'commit offsets', 'produce', 'add offsets']),
    latencies: random.int(0, 30),
  }),
  join: (_random, at) => ({ at, kind: 'join' }),
  leave: (random, at) => ({ at, kind: 'leave', awayMs: downMs(random) }),
  deploy: (_random, at) => ({ at, kind: 'deploy' }),
  'redis-away': (random, at) => ({ at, kind: 'redis-away', forMs: random.pick([100, 2_000, 30_000, 300_000]) }),
  'redis-failover': (random, at) => ({
    at,
    kind: 'redis-failover',
    writes: random.pick([1, 2, 3, 8, 30]),
    awayMs: random.pick([0, 0, 3_000]),
  }),
  'kafka-away': (random, at) => ({ at, kind: 'kafka-away', forMs: random.pick([100, 5_000, 45_000, 300_000]) }),
  flaky: (random, at) => ({
    at,
    kind: 'flaky',
    server: random.pick(['kafka', 'redis']),
    lost: random.pick([0.02, 0.1, 0.3]),
    forMs: random.pick([5_000, 60_000, 300_000]),
  }),
};

const KINDS = Object.keys(DRAWN) as (keyof typeof DRAWN)[];

const drawFaults = (random: Random, deliveries: readonly Delivered[]): PlannedFault[] => {
  if (random.chance(0.15) || deliveries.length === 0) return [];
  const kinds = KINDS.filter(() => random.chance(0.35));
  if (kinds.length === 0) return [];
  const count = random.pick([1, 2, 4, 10, 25]);
  return Array.from({ length: count }, () => {
    // Where something happens; a fault in a calm hour is nobody's.
    const near = random.pick(deliveries).at;
    const at = near + random.pick([random.int(-3_000, 3_000), random.int(0, 300), random.int(0, 120_000)]);
    return DRAWN[random.pick(kinds)](random, at);
  }).sort((a, b) => a.at - b.at);
};

const drawPlainMix = (random: Random, deliveries: readonly Delivered[]): HouseMix => ({
  partitions: random.pick([1, 2, 3]),
  brokers: random.pick([1, 3]),
  processes: random.pick([1, 2, 2, 3]),
  workers: random.pick([1, 2]),
  gateways: random.pick([1, 2]),
  batchRecords: random.pick([1, 3, 100]),
  cachePayments: random.pick([1, 100]),
  kafkaLatencyMs: random.pick([1, 3, 20]),
  redisLatencyMs: random.pick([0.3, 2, 10]),
  fetchMaxWaitMs: random.pick([500, 5_000, 5_000]),
  dueCheckMs: random.pick([1_000, 2_000]),
  readPollMs: random.pick([1_000, 2_000]),
  leaseMs: random.pick([60_000, 90_000]),
  // Enough that what a large world wants to read is read within its first hour or so.
  ratePerSecond: Math.max(random.pick([0.2, 1, 5, 50]), Math.floor(deliveries.length / 500)),
  isTransactional: random.chance(0.85),
  strayEvents: random.pick([0, 0, 0.2, 1]),
  poison: random.pick([0, 0, 2, 10]),
  faults: drawFaults(random.fork('faults'), deliveries),
});

/** Draws the house of a seed: calm in one thing and wild in another. */
export const drawMix = (random: Random, deliveries: readonly Delivered[]): HouseMix => {
  const mix = drawPlainMix(random, deliveries);
  const chance = random.fork('beside');
  const beside = drawBeside(chance);
  const times = deliveries.map(({ at }) => at);
  const faults = [...mix.faults, ...drawRegistryFaults(chance, beside, times)].sort((a, b) => a.at - b.at);
  return { ...mix, faults, beside };
};
