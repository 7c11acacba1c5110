import type { Comparison, Contract, InputField } from '../../evaluator/contract.ts';
import { compareDecimals } from '../../evaluator/decimal.ts';
import { instantMs } from '../../evaluator/instant.ts';
import { parsePath } from '../../evaluator/path.ts';
import { showValue } from '../problem.ts';
import { comparisonsOf, isPathText, type LintFinding, type LintRule, lintError } from './finding.ts';

const ORDERING = ['gt', 'gte', 'lt', 'lte'];
const TIME = ['time_after', 'time_before'];
const LISTS = ['in', 'not_in'];

/** The declared type of the input field that is expected; null where something else is. */
const expectedField = (contract: Contract, { expected }: Comparison): InputField['type'] | null => {
  if (!isPathText(expected) || !expected.startsWith('$input.')) return null;
  const name = expected.slice('$input.'.length);
  return Object.hasOwn(contract.input.fields, name) ? (contract.input.fields[name]?.type ?? null) : null;
};

/** Whether the comparison looks at a whole number: a count of events or elements. */
const isCount = ({ path, aggregate }: Comparison): boolean => {
  if (aggregate !== undefined) return aggregate.op === 'count';
  const parsed = parsePath(path);
  return (
    !('problem' in parsed) &&
    parsed.channel !== null &&
    parsed.segments.at(-1) === 'count' &&
    parsed.segments.length === 1
  );
};

const isInstant = (contract: Contract, comparison: Comparison): boolean => {
  const { expected } = comparison;
  if (typeof expected !== 'string') return false;
  if (!isPathText(expected)) return instantMs(expected) !== null;
  const field = expectedField(contract, comparison);
  return (
    field === 'text' ||
    !(expected.startsWith('$input.') || expected === '$operation.id' || expected === '$operation.idempotency_key')
  );
};

const isOrderable = (contract: Contract, comparison: Comparison): boolean => {
  const { expected, as } = comparison;
  if (isPathText(expected)) {
    const field = expectedField(contract, comparison);
    if (field === null) return expected.startsWith('$observed.') || expected.startsWith('$action.');
    return field === 'amount_minor' || (as === 'decimal' && field.startsWith('amount_')) || as === 'instant';
  }
  if (as === 'instant') return typeof expected === 'string' && instantMs(expected) !== null;
  if (as === 'decimal')
    return typeof expected === 'number' || (typeof expected === 'string' && compareDecimals(expected, '0') !== null);
  return typeof expected === 'number';
};

/** What the expectation should be for this operator; null where it fits. */
const misfit = (contract: Contract, comparison: Comparison): string | null => {
  const { operator, expected, as } = comparison;
  if (TIME.includes(operator))
    return isCount(comparison) || !isInstant(contract, comparison)
      ? `an instant, e.g. $operation.created_at, since the operator is ${operator}`
      : null;
  if (ORDERING.includes(operator))
    return isOrderable(contract, comparison)
      ? null
      : `a number, or a decimal or an instant with "as", since the operator is ${operator}: text has no order`;
  if (LISTS.includes(operator)) return Array.isArray(expected) ? null : `a list, since the operator is ${operator}`;
  if (Array.isArray(expected)) return `one value, since the operator is ${operator} (in and not_in take a list)`;
  if (isCount(comparison) && typeof expected !== 'number' && !isPathText(expected))
    return 'a number, since a count is compared';
  if (as !== undefined && as !== 'decimal' && typeof expected !== 'string')
    return `text, since it is compared as ${as}`;
  if (as === 'decimal' && !isPathText(expected) && !isOrderable(contract, comparison))
    return 'a decimal, since it is compared as decimal';
  return null;
};

const isAlwaysTrue = (comparison: Comparison): boolean =>
  isCount(comparison) &&
  typeof comparison.expected === 'number' &&
  ((comparison.operator === 'gte' && comparison.expected <= 0) ||
    (comparison.operator === 'gt' && comparison.expected < 0));

/** Operators with expectations that they cannot be held against, and comparisons that say nothing. */
export const operatorsFitTheirValues: LintRule = (contract) =>
  comparisonsOf(contract).flatMap(({ comparison, path }): LintFinding[] => {
    const shouldBe = misfit(contract, comparison);
    if (shouldBe !== null)
      return [lintError('operator-misfit', [...path, 'expected'], showValue(comparison.expected), shouldBe)];
    if (isAlwaysTrue(comparison))
      return [
        lintError(
          'always-true',
          [...path, 'expected'],
          `${comparison.operator} ${showValue(comparison.expected)}`,
          'something that a count can fail',
        ),
      ];
    return [];
  });

const aggregateMisuse = ({ aggregate, operator, as, path }: Comparison, contract: Contract): string | null => {
  if (aggregate === undefined)
    return operator === 'includes' || operator === 'excludes' ? listMisuse(path, contract) : null;
  const { op, of, where, currency } = aggregate;
  const channel = parsePath(path);
  if (!('problem' in channel) && contract.channels[channel.channel ?? '']?.verifier === 'webhook')
    return 'left out: an event channel is already counted';
  if (op === 'count')
    return of === undefined && currency === undefined ? null : 'without "of" and "currency": count needs "where" alone';
  if (op === 'currencies') {
    if (operator !== 'includes' && operator !== 'excludes')
      return 'compared with includes or excludes: currencies is a list';
    return of === undefined && where === undefined && currency === undefined
      ? null
      : 'without "of", "where" and "currency"';
  }
  if (as !== 'decimal') return `compared as: decimal, since ${op} gives decimal text`;
  if (op === 'sum') return of === undefined ? 'with "of", the amount inside an element' : null;
  if (of !== undefined || where !== undefined) return 'without "of" and "where": money reads one MoneyBag';
  return currency === undefined ? 'with "currency", which of the two monies is meant' : null;
};

const listMisuse = (path: string, contract: Contract): string | null => {
  const parsed = parsePath(path);
  if ('problem' in parsed) return null;
  const isEvent = contract.channels[parsed.channel ?? '']?.verifier === 'webhook';
  return isEvent && parsed.segments[0] !== 'types' ? 'on a list, e.g. the types of an event channel' : null;
};

/** Aggregates without what they need, or with what they do not read. */
export const aggregatesAreComplete: LintRule = (contract) =>
  comparisonsOf(contract).flatMap(({ comparison, path }): LintFinding[] => {
    const shouldBe = aggregateMisuse(comparison, contract);
    if (shouldBe === null) return [];
    const was =
      comparison.aggregate === undefined
        ? comparison.operator
        : `${comparison.aggregate.op} with ${comparison.operator}`;
    return [
      lintError(
        'aggregate-misused',
        [...path, comparison.aggregate === undefined ? 'operator' : 'aggregate'],
        was,
        shouldBe,
      ),
    ];
  });
