import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { instantMs, printInstant } from '../../../src/evaluator/index.ts';
import type { Breach } from '../oracle.ts';
import type { PlannedFault } from './mix.ts';
import type { HousePlan } from './plan.ts';
import type { HouseRun } from './simulate-house.ts';

const FOLDER = fileURLToPath(new URL('../../regression/seeds/', import.meta.url));

/** A seed that found a mistake, in its shortest form. */
export interface KeptSeed {
  readonly seed: number;
  readonly rule: string;
  /** what was wrong */
  readonly mistake: string;
  readonly plan: HousePlan;
}

/** Writes a failing seed down for the tests to replay; answers with the file's path. */
export const keepSeed = ({ run }: HouseRun, { rule, text }: Breach, plan: HousePlan): string => {
  mkdirSync(FOLDER, { recursive: true });
  const faults = plan.mix.faults.map(({ at, ...fault }) => ({ at: printInstant(at), ...fault }));
  const kept = { seed: run.seed, rule, mistake: text, plan: { ...plan, mix: { ...plan.mix, faults } } };
  const path = `${FOLDER}${run.seed}-${rule.replaceAll('_', '-')}.json`;
  writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`);
  return path;
};

/** Every seed that was kept. */
export const keptSeeds = (): KeptSeed[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const kept = JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8')) as KeptSeed;
      const faults = kept.plan.mix.faults.map(
        (fault): PlannedFault => ({ ...fault, at: instantMs(`${fault.at}`) ?? 0 }),
      );
      return { ...kept, plan: { ...kept.plan, mix: { ...kept.plan.mix, faults } } };
    });
