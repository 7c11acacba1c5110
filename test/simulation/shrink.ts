import { checkRun } from './checks.ts';
import type { Delivered } from './item.ts';
import type { Breach } from './oracle.ts';
import { type Run, redeliver } from './run.ts';

/** Shrinking stops after so many runs. */
const RUNS_MAX = 600;

const isSameBreach = (a: Breach, b: Breach): boolean => a.rule === b.rule && a.operationId === b.operationId;

/**
 * The fewest records that still show the breach (delta debugging: leave out halves, quarters, … single records), without
 * anybody answering reads. Null where the breach shows only while reads are answered.
 */
export const shrink = (run: Run, breach: Breach): { run: Run; breach: Breach } | null => {
  // What should have been proven cannot be once a read is left out.
  if (breach.rule === 'not_verified') return null;
  let runs = 0;
  const find = (delivered: readonly Delivered[]): { run: Run; breach: Breach } | null => {
    runs += 1;
    const tried = redeliver(run, delivered);
    const found = checkRun(tried).find((one) => isSameBreach(one, breach));
    return found === undefined ? null : { run: tried, breach: found };
  };
  let best = find(run.delivered);
  if (best === null) return null;
  for (let parts = 2; runs < RUNS_MAX; ) {
    const all = best.run.delivered;
    const size = Math.ceil(all.length / parts);
    let smaller: { run: Run; breach: Breach } | null = null;
    for (let from = 0; from < all.length && runs < RUNS_MAX; from += size) {
      smaller = find([...all.slice(0, from), ...all.slice(from + size)]);
      if (smaller !== null) break;
    }
    if (smaller !== null) {
      best = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) break;
    else parts = Math.min(all.length, parts * 2);
  }
  return best;
};
