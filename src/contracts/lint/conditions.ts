import type { Comparison } from '../../evaluator/contract.ts';
import { comparisonText, isPathText, type LintFinding, type LintRule, lintError, lintWarning } from './finding.ts';

const OPPOSITE: Readonly<Partial<Record<Comparison['operator'], Comparison['operator']>>> = {
  eq: 'ne',
  ne: 'eq',
  includes: 'excludes',
  excludes: 'includes',
  time_after: 'time_before',
  time_before: 'time_after',
};

/** Guards narrow a contradiction; the fact it denies is the same. */
const bare = ({ path, aggregate, operator, expected, as }: Comparison): Comparison => ({
  path,
  operator,
  expected,
  ...(aggregate === undefined ? {} : { aggregate }),
  ...(as === undefined ? {} : { as }),
});

const oppositeText = (comparison: Comparison): string | null => {
  const operator = OPPOSITE[comparison.operator];
  return operator === undefined ? null : comparisonText({ ...bare(comparison), operator });
};

/** Compared with the intent or the operation: a fact that cannot become right later, so that its opposite contradicts. */
const isAgainstIntent = (comparison: Comparison): boolean =>
  isPathText(comparison.expected) &&
  (comparison.expected.startsWith('$input.') || comparison.expected.startsWith('$operation.'));

/** What VERIFIED asks of the intent should contradict when it is not so, and the other way round. */
export const contradictionsMirrorConditions: LintRule = (contract) => {
  const held = new Set(contract.verified.map((condition) => comparisonText(bare(condition))));
  const denied = new Set(contract.contradicted.map((condition) => comparisonText(bare(condition))));
  return [
    ...contract.verified.flatMap((condition, index): LintFinding[] => {
      const opposite = oppositeText(condition);
      if (opposite === null || !isAgainstIntent(condition) || denied.has(opposite)) return [];
      return [
        lintWarning(
          'no-contradiction',
          ['verified', index, 'name'],
          `${condition.name}, whose opposite nothing contradicts`,
          `mirrored by a contradiction with operator ${OPPOSITE[condition.operator]}`,
        ),
      ];
    }),
    ...contract.contradicted.flatMap((condition, index): LintFinding[] => {
      const opposite = oppositeText(condition);
      if (opposite === null || condition.when_unknown === 'pass' || held.has(opposite)) return [];
      return [
        lintWarning(
          'opposite-of-none',
          ['contradicted', index, 'name'],
          `${condition.name}, the opposite of no verified condition`,
          `mirrored by a verified condition with operator ${OPPOSITE[condition.operator]}, or when_unknown: pass`,
        ),
      ];
    }),
  ];
};

/** A contradiction that says what VERIFIED needs makes VERIFIED impossible. */
export const conditionsDoNotConflict: LintRule = (contract) => {
  const held = new Map(contract.verified.map((condition) => [comparisonText(bare(condition)), condition.name]));
  return contract.contradicted.flatMap((condition, index): LintFinding[] => {
    const name = condition.and === undefined ? held.get(comparisonText(bare(condition))) : undefined;
    return name === undefined
      ? []
      : [
          lintError(
            'never-verified',
            ['contradicted', index],
            `the same comparison as verified ${name}`,
            'its opposite',
          ),
        ];
  });
};

/** Reason codes that the evaluator uses itself. */
const RESERVED = new Set([
  'all_conditions_hold',
  'awaiting_evidence',
  'contract_unknown',
  'decided_by_reviewer',
  'input_invalid',
  'provider_holds_no_refund',
  'refund_claimed_by_other_operation',
  'state_limit',
  'withdrawn',
]);

/** Names are reason codes in verdicts: each is used once, and none is one of the evaluator's own. */
export const namesAreUnique: LintRule = (contract) => {
  const places = new Map<string, string>();
  return (['verified', 'contradicted', 'states'] as const).flatMap((part) =>
    contract[part].flatMap(({ name }, index): LintFinding[] => {
      const at = [part, index, 'name'];
      if (RESERVED.has(name))
        return [lintError('name-reserved', at, name, 'another name: the evaluator gives this reason itself')];
      const first = places.get(name);
      if (first !== undefined) return [lintError('name-repeated', at, name, `unique: ${first} has it already`)];
      places.set(name, `${part}[${index}]`);
      return [];
    }),
  );
};
