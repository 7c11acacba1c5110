import { fewest } from '../fewest.ts';
import type { Breach } from '../oracle.ts';
import { isSameBreach } from '../shrink.ts';
import type { HousePlan } from './plan.ts';
import { type HouseRun, simulateHouse } from './simulate-house.ts';

/** Each try is a whole run of a house. */
const RUNS_MAX = 80;

/** The same seed with fewer faults and deliveries, and no poison, that still shows the breach. */
export const shrinkHouse = async (
  house: HouseRun,
  breach: Breach,
): Promise<{ readonly house: HouseRun; readonly breach: Breach; readonly plan: HousePlan }> => {
  const { seed } = house.run;
  const find = async (plan: HousePlan): Promise<{ house: HouseRun; breach: Breach; plan: HousePlan } | null> => {
    const tried = await simulateHouse(seed, { plan, isTraced: true });
    const found = tried.breaches.find((one) => isSameBreach(one, breach));
    return found === undefined ? null : { house: tried, breach: found, plan };
  };
  const whole: HousePlan = { mix: house.mix, deliveries: null };
  const clean = (await find({ ...whole, mix: { ...house.mix, poison: 0 } })) ?? (await find(whole));
  if (clean === null) throw new TypeError(`seed ${seed} runs differently a second time`);
  const { mix } = clean.plan;
  // Faults first: they are few, and tell more.
  const calmer = await fewest(
    mix.faults,
    (faults) => find({ mix: { ...mix, faults }, deliveries: null }),
    RUNS_MAX / 2,
  );
  const best = calmer?.found ?? clean;
  const shortest = await fewest(
    Array.from({ length: house.deliveries }, (_, place) => place),
    (deliveries) => find({ mix: best.plan.mix, deliveries }),
    RUNS_MAX / 2,
  );
  return shortest?.found ?? best;
};
