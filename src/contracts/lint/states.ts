import type { Comparison, StateRule } from '../../evaluator/contract.ts';
import type { Json } from '../../evaluator/json.ts';
import { comparisonText, type LintFinding, type LintRule, lintError, observedText } from './finding.ts';

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** The literal values that a comparison accepts; null where it is no choice among values. */
const accepted = ({ operator, expected }: Comparison): readonly Json[] | null => {
  if (operator === 'eq') return [expected];
  return operator === 'in' && isList(expected) ? expected : null;
};

const within = (value: Json, comparison: Comparison): boolean => {
  const { operator, expected } = comparison;
  if (operator === 'ne') return value !== expected;
  if (operator === 'not_in') return isList(expected) && !expected.includes(value);
  if (typeof value === 'number' && typeof expected === 'number') {
    if (operator === 'gt') return value > expected;
    if (operator === 'gte') return value >= expected;
    if (operator === 'lt') return value < expected;
    if (operator === 'lte') return value <= expected;
  }
  return accepted(comparison)?.includes(value) ?? false;
};

/** Both bound the value on one side, and the wider one includes all of the narrower one. */
const boundCovers = (wide: Comparison, narrow: Comparison): boolean => {
  if (typeof wide.expected !== 'number' || typeof narrow.expected !== 'number') return false;
  const isUp = (operator: string): boolean => operator === 'gt' || operator === 'gte';
  const isDown = (operator: string): boolean => operator === 'lt' || operator === 'lte';
  const isTighter = wide.operator === 'gte' || wide.operator === 'lte' || narrow.operator === wide.operator;
  if (isUp(wide.operator) && isUp(narrow.operator))
    return wide.expected < narrow.expected || (wide.expected === narrow.expected && isTighter);
  if (isDown(wide.operator) && isDown(narrow.operator))
    return wide.expected > narrow.expected || (wide.expected === narrow.expected && isTighter);
  return false;
};

/** Whether whatever makes `narrow` true makes `wide` true too. Says false where it cannot tell. */
const covers = (wide: Comparison, narrow: Comparison): boolean => {
  const guards = new Set((narrow.and ?? []).map(comparisonText));
  if (!(wide.and ?? []).every((guard) => guards.has(comparisonText(guard)))) return false;
  if (observedText(wide) !== observedText(narrow)) return false;
  const values = accepted(narrow);
  if (values !== null) return values.every((value) => within(value, wide));
  const isSame = wide.operator === narrow.operator && JSON.stringify(wide.expected) === JSON.stringify(narrow.expected);
  return isSame || boundCovers(wide, narrow);
};

/** Decisive rules are asked before PENDING ones, each kind in its order. */
const isAskedBefore = (rule: StateRule, index: number, other: StateRule, otherIndex: number): boolean => {
  const isPending = rule.verdict === 'PENDING';
  if (isPending !== (other.verdict === 'PENDING')) return !isPending;
  return index < otherIndex;
};

/** State rules that can never decide, because another is asked before and matches whatever they match. */
export const stateRulesAreReachable: LintRule = (contract) =>
  contract.states.flatMap((rule, index): LintFinding[] => {
    const shadow = contract.states.find(
      (other, otherIndex) =>
        other !== rule && isAskedBefore(other, otherIndex, rule, index) && covers(other.match, rule.match),
    );
    return shadow === undefined
      ? []
      : [
          lintError(
            'rule-unreachable',
            ['states', index],
            `${rule.name}, which ${shadow.name} always forestalls`,
            'a match that no rule asked before covers',
          ),
        ];
  });

/** State rules that break the order of judgement: VERIFIED without evidence, or a state that VERIFIED itself needs. */
export const stateRulesLeaveVerifiedAlone: LintRule = (contract) =>
  contract.states.flatMap((rule, index): LintFinding[] => {
    const found: LintFinding[] = [];
    if (rule.verdict === 'VERIFIED')
      found.push(
        lintError(
          'rule-verifies',
          ['states', index, 'verdict'],
          'VERIFIED',
          'another verdict: only the verified conditions with their evidence minimum may give it',
        ),
      );
    if (rule.class !== undefined && rule.verdict !== 'CONTRADICTED')
      found.push(
        lintError(
          'class-without-contradiction',
          ['states', index, 'class'],
          rule.class,
          `left out: the verdict is ${rule.verdict}`,
        ),
      );
    const needed = contract.verified.find((condition) => rule.verdict !== 'PENDING' && covers(rule.match, condition));
    if (needed !== undefined && rule.verdict !== 'VERIFIED')
      found.push(
        lintError(
          'never-verified',
          ['states', index, 'match'],
          `true whenever verified ${needed.name} is`,
          `a match that leaves ${needed.name} alone`,
        ),
      );
    return found;
  });
