import { isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { Contract } from '../evaluator/contract.ts';
import type { Json } from '../evaluator/json.ts';
import { fieldName, type Problem, showValue } from './problem.ts';
import { contractSchema } from './schema.ts';

/** A parsed YAML document that can still say on which line a field stands. */
export interface LocatedYaml {
  readonly value: Json;
  /** The line of the field, or of the nearest parent that exists. */
  lineOf(path: readonly PropertyKey[]): number | null;
  readonly problems: readonly Problem[];
}

/** Enough for any contract that a person writes, too few for one whose aliases multiply into billions. */
const ALIASES_MAX = 100;

const unfoldable = (error: unknown): string => {
  if (error instanceof RangeError) return 'nested less deeply';
  if (error instanceof ReferenceError && error.message.startsWith('Excessive alias'))
    return `without aliases (*name) that repeat more than ${ALIASES_MAX} times`;
  return 'without aliases (*name) that name no anchor (&name) before them';
};

const notYaml = (file: string, line: number | null, shouldBe: string, was = 'not YAML'): Problem => ({
  file,
  line,
  field: 'document',
  was,
  shouldBe,
});

/** Parses YAML 1.2. Syntax errors, repeated keys and what cannot be unfolded come back as problems, with their line. */
export const readYaml = (source: string, file: string): LocatedYaml => {
  const lineCounter = new LineCounter();
  const failed = (problems: readonly Problem[]): LocatedYaml => ({ value: null, lineOf: () => null, problems });
  try {
    const document = parseDocument(source, { lineCounter, prettyErrors: false });
    if (document.errors.length > 0)
      return failed(
        document.errors.map(({ pos, message }) => notYaml(file, lineCounter.linePos(pos[0]).line, `YAML (${message})`)),
      );
    const lineOf = (path: readonly PropertyKey[]): number | null => {
      for (let depth = path.length; depth >= 0; depth -= 1) {
        const node = document.getIn(path.slice(0, depth), true);
        if (isNode(node) && node.range) return lineCounter.linePos(node.range[0]).line;
      }
      return null;
    };
    return { value: document.toJS({ maxAliasCount: ALIASES_MAX }) as Json, lineOf, problems: [] };
  } catch (error) {
    return failed([notYaml(file, null, unfoldable(error), 'YAML that cannot be unfolded')]);
  }
};

const valueAt = (root: Json, path: readonly PropertyKey[]): Json | undefined => {
  let value: unknown = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value as Json | undefined;
};

const shouldBe = (issue: z.core.$ZodIssue, noSuchField: string): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int'
        ? `at least ${issue.minimum}`
        : `not empty (at least ${issue.minimum})`;
    case 'unrecognized_keys':
      return noSuchField;
    case 'invalid_union':
      return 'discriminator' in issue && issue.discriminator === 'verifier' ? '"http" or "webhook"' : issue.message;
    default:
      return issue.message;
  }
};

const NO_SUCH_FIELD = 'left out: the contract language has no such field';

/** Turns zod's issues into problems with lines. An unknown field is named itself, not its parent. */
export const problemsOf = (
  issues: readonly z.core.$ZodIssue[],
  yaml: LocatedYaml,
  file: string,
  noSuchField = NO_SUCH_FIELD,
): Problem[] =>
  issues.flatMap((issue) => {
    const paths =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [[...issue.path]];
    return paths.map((path) => ({
      file,
      line: yaml.lineOf(path),
      field: fieldName(path),
      was: showValue(valueAt(yaml.value, path)),
      shouldBe: shouldBe(issue, noSuchField),
    }));
  });

export type ReadContract =
  | { readonly ok: true; readonly contract: Contract; readonly yaml: LocatedYaml }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads one contract document. All that is wrong with it is reported at once. */
export const readContract = (source: string, file: string): ReadContract => {
  const yaml = readYaml(source, file);
  if (yaml.problems.length > 0) return { ok: false, problems: yaml.problems };
  const parsed = contractSchema.safeParse(yaml.value);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error.issues, yaml, file) };
  return { ok: true, contract: parsed.data, yaml };
};
