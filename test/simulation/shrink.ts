import { checkRun } from './checks.ts';
import { fewest } from './fewest.ts';
import type { Breach } from './oracle.ts';
import { type Run, redeliver } from './run.ts';

/** Shrinking stops after so many runs. */
const RUNS_MAX = 600;

export const isSameBreach = (a: Breach, b: Breach): boolean => a.rule === b.rule && a.operationId === b.operationId;

/**
 * The fewest records that still show the breach, without anybody answering reads. Null where the breach shows only while reads
 * are answered, or only in a house.
 */
export const shrink = async (run: Run, breach: Breach): Promise<{ run: Run; breach: Breach } | null> => {
  // What should have been proven cannot be once a read is left out.
  if (breach.rule === 'not_verified') return null;
  const shortest = await fewest(
    run.delivered,
    (delivered) => {
      const tried = redeliver(run, delivered);
      const found = checkRun(tried).find((one) => isSameBreach(one, breach));
      return found === undefined ? null : { run: tried, breach: found };
    },
    RUNS_MAX,
  );
  return shortest?.found ?? null;
};
