import { readFileSync } from 'node:fs';
import { printProblem } from '../contracts/problem.ts';
import { problemsOf, readYaml } from '../contracts/read-contract.ts';
import { OperatingError } from '../errors.ts';
import { type Scenario, scenarioSchema } from './scenario-schema.ts';

/** The scenario without a file: four accounts, nothing out of the usual. */
export const plainScenario = (): Scenario => scenarioSchema.parse({});

/**
 * Reads a scenario (YAML).
 *
 * @param file its name, for errors
 * @throws OperatingError SCENARIO_INVALID; names each field with its line, what it was and what it should be
 */
export const parseScenario = (source: string, file: string): Scenario => {
  const yaml = readYaml(source, file);
  const parsed = yaml.problems.length > 0 ? null : scenarioSchema.safeParse(yaml.value ?? {});
  if (parsed?.success === true) return parsed.data;
  const problems =
    parsed === null
      ? yaml.problems
      : problemsOf(parsed.error.issues, yaml, file, 'left out: a scenario has no such field');
  throw new OperatingError(
    'SCENARIO_INVALID',
    `The scenario is not right:\n${problems.map((one) => `  ${printProblem(one)}`).join('\n')}`,
  );
};

/** The same from a file. Throws SCENARIO_INVALID where it cannot be read too. */
export const readScenario = (file: string): Scenario => {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    throw new OperatingError('SCENARIO_INVALID', `The scenario ${file} cannot be read (${code})`, { cause });
  }
  return parseScenario(source, file);
};
