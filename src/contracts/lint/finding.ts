import type { Aggregate, Comparison, Contract } from '../../evaluator/contract.ts';
import type { Json } from '../../evaluator/json.ts';

/** Something a schema cannot find. An `error` makes the contract wrong; a `warning` is a gap that somebody should want. */
export interface LintFinding {
  /** kebab-case name of the lint rule, stable for scripts */
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly path: readonly PropertyKey[];
  readonly was: string;
  readonly shouldBe: string;
}

export type LintRule = (contract: Contract) => LintFinding[];

export const lintError = (rule: string, path: readonly PropertyKey[], was: string, shouldBe: string): LintFinding => ({
  rule,
  severity: 'error',
  path,
  was,
  shouldBe,
});

export const lintWarning = (
  rule: string,
  path: readonly PropertyKey[],
  was: string,
  shouldBe: string,
): LintFinding => ({ rule, severity: 'warning', path, was, shouldBe });

/** A comparison with where it stands in the document and what it is for. */
export interface PlacedComparison {
  readonly comparison: Comparison;
  readonly path: readonly PropertyKey[];
  readonly use: 'verified' | 'contradicted' | 'state';
  /** name of the condition or rule it belongs to */
  readonly name: string;
  /** index of that condition or rule in its list */
  readonly index: number;
  /** a guard under `and` */
  readonly isGuard: boolean;
}

const placed = function* (found: PlacedComparison): Generator<PlacedComparison> {
  yield found;
  for (const [index, comparison] of (found.comparison.and ?? []).entries())
    yield* placed({ ...found, comparison, path: [...found.path, 'and', index], isGuard: true });
};

/** Every comparison of a contract, guards included. */
export const comparisonsOf = (contract: Contract): PlacedComparison[] => [
  ...contract.verified.flatMap((comparison, index) => [
    ...placed({ comparison, path: ['verified', index], use: 'verified', name: comparison.name, index, isGuard: false }),
  ]),
  ...contract.contradicted.flatMap((comparison, index) => [
    ...placed({
      comparison,
      path: ['contradicted', index],
      use: 'contradicted',
      name: comparison.name,
      index,
      isGuard: false,
    }),
  ]),
  ...contract.states.flatMap((rule, index) => [
    ...placed({
      comparison: rule.match,
      path: ['states', index, 'match'],
      use: 'state',
      name: rule.name,
      index,
      isGuard: false,
    }),
  ]),
];

export const isPathText = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.startsWith('$');

const sortedText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'null';

const aggregateText = (aggregate: Aggregate | undefined): string => sortedText(aggregate ?? null);

/** Names the value that a comparison looks at: two comparisons with one text look at the same. */
export const observedText = ({ path, aggregate, as }: Comparison): string =>
  `${path} ${aggregateText(aggregate)} ${as ?? ''}`;

/** Names what a comparison says, its guards included. */
export const comparisonText = (comparison: Comparison): string =>
  `${observedText(comparison)} ${comparison.operator} ${sortedText(comparison.expected)} ${(comparison.and ?? []).map(comparisonText).sort().join('&')}`;
