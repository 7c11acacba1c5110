import type { PaymentState, VerdictRecord } from '../../../src/evaluator/index.ts';
import { isAuthorityKey } from '../../../src/records/authority-key.ts';
import { parseState } from '../../../src/records/parse-state.ts';
import { VERDICTS_TOPIC } from '../../../src/records/topics.ts';
import { checkRun } from '../checks.ts';
import { Numbering, schedule } from '../delivery.ts';
import { drawSize } from '../draw-size.ts';
import { drawWorld } from '../draw-world.ts';
import type { Breach } from '../oracle.ts';
import type { Published } from '../pipeline.ts';
import { Random } from '../random.ts';
import type { Run } from '../run.ts';
import { drawWeather } from '../weather.ts';
import { checkHandoff } from './handoff/handoff-checks.ts';
import { House } from './house.ts';
import { checkHouse } from './house-checks.ts';
import { drawMix, type HouseMix } from './mix.ts';
import type { HousePlan } from './plan.ts';
import { checkSealing } from './sealing-checks.ts';
import { withSimulatedGlobals } from './sim-time.ts';

/** Everything that a run of a house came to. */
export interface HouseRun {
  readonly run: Run;
  readonly mix: HouseMix;
  /** how many there were to make */
  readonly deliveries: number;
  readonly breaches: readonly Breach[];
  readonly digest: string;
  readonly trace: readonly string[];
  /** kind of fault → how many happened */
  readonly faults: Readonly<Record<string, number>>;
  readonly events: number;
  readonly monoMs: number;
}

export interface HouseOptions {
  /** keep the trace's lines */
  readonly isTraced?: boolean;
  /** instead of the seed's own */
  readonly plan?: HousePlan;
}

/** Of the world's payments, or of the others. */
const verdictsOf = (house: House, areBeside: boolean): Published[] => {
  const seen = new Set<string>();
  return (house.cluster.logs.get(VERDICTS_TOPIC) ?? [])
    .flatMap((log) => log.committed())
    .flatMap(({ value }): Published[] => {
      const verdict = JSON.parse(house.registry.textOf(value)) as VerdictRecord;
      if (house.isBeside(verdict.payment_key) !== areBeside) return [];
      // Without transactions one may come twice, with the same id.
      if (seen.has(verdict.verdict_id)) return [];
      seen.add(verdict.verdict_id);
      // A shard's time may lag behind what it has read: a verdict is no older than its evidence.
      const times = [verdict.decided_at, ...verdict.evidence.map(({ observed_at }) => observed_at)];
      return [{ at: Math.max(...times.map((time) => Date.parse(time))), verdict }];
    });
};

const statesOf = async (house: House, partitions: number, areBeside: boolean): Promise<Map<string, PaymentState>> => {
  const states = new Map<string, PaymentState>();
  for (let shard = 0; shard < partitions; shard += 1)
    for await (const { paymentKey, value } of house.state.store.scan(shard))
      if (!isAuthorityKey(paymentKey) && house.isBeside(paymentKey) === areBeside)
        states.set(paymentKey, parseState(paymentKey, value));
  return states;
};

/** The world, the weather, the house and its faults of a seed, played to the end and held to the truth. */
export const simulateHouse = async (seed: number, options: HouseOptions = {}): Promise<HouseRun> => {
  const random = new Random(seed);
  const most = drawSize(seed, random.fork('size').pick([1, 3, 3, 12]), 640);
  const world = drawWorld(random.fork('world'), most);
  const weather = drawWeather(random.fork('weather'), world.startsAt);
  const deliveries = schedule(world, weather, random.fork('schedule'), new Numbering());
  const mix = options.plan?.mix ?? drawMix(random.fork('mix'), deliveries);
  const chosen = options.plan?.deliveries ?? null;
  const house = new House({ world, weather, mix, random: random.fork('house'), isTraced: options.isTraced ?? false });
  await withSimulatedGlobals(house.scheduler, () => house.run(deliveries, chosen));
  const { delivered, strangers } = house.records.delivered();
  const run: Run = {
    seed,
    world,
    weather,
    delivered,
    verdicts: verdictsOf(house, false),
    states: await statesOf(house, mix.partitions, false),
    deadLetters: house.records.deadLettersOf(delivered),
    isEndless: false,
    isCore: false,
  };
  const others = { verdicts: verdictsOf(house, true), states: await statesOf(house, mix.partitions, true) };
  const early = house.checks.breaches;
  const breaches =
    early.length > 0
      ? early
      : [
          ...checkHouse(house, run, mix, strangers, others),
          ...(await checkSealing(house, mix.isTransactional)),
          ...checkHandoff(house, others, mix.isTransactional),
          ...checkRun(run),
        ];
  return {
    run,
    mix,
    deliveries: deliveries.length,
    breaches,
    digest: house.trace.digest,
    trace: house.trace.lines,
    faults: house.faults.counts,
    events: house.scheduler.events,
    monoMs: house.scheduler.mono,
  };
};
