import type { Comparison, Contract } from '../../evaluator/contract.ts';
import { parsePath } from '../../evaluator/path.ts';
import { type LintRule, lintError, lintWarning } from './finding.ts';

/** Whether the comparison looks at something that the provider says, and not at how often it says it. */
const isObservedValue = ({ path: text, aggregate }: Comparison): boolean => {
  const path = parsePath(text);
  if ('problem' in path || path.root !== 'observed' || aggregate?.op === 'count') return false;
  return path.segments.at(-1) !== 'count';
};

const isAmountRule = ({ input }: Contract, comparison: Comparison): boolean =>
  comparison.operator === 'eq' &&
  comparison.expected === input.amount &&
  comparison.aggregate?.op !== 'currencies' &&
  isObservedValue(comparison);

const isCurrencyRule = ({ input }: Contract, comparison: Comparison): boolean =>
  (comparison.operator === 'eq' || comparison.operator === 'includes') &&
  comparison.expected === input.currency &&
  isObservedValue(comparison);

/**
 * A contract that proves money must hold the provider's amount, and should hold its currency, against the intent: without that a
 * refund of one cent verifies any amount.
 */
export const moneyIsHeldToTheIntent: LintRule = (contract) => {
  const { proves_money: provesMoney, input, verified } = contract;
  if (!provesMoney) return [];
  const was = `no condition on ${input.amount}`;
  const found = verified.some((condition) => isAmountRule(contract, condition))
    ? []
    : [
        lintError(
          'no-amount-rule',
          ['verified'],
          was,
          `one whose path or aggregate of $observed is eq ${input.amount}, since proves_money is true`,
        ),
      ];
  if (input.currency === null || verified.some((condition) => isCurrencyRule(contract, condition))) return found;
  return [
    ...found,
    lintWarning(
      'no-currency-rule',
      ['verified'],
      `no condition on ${input.currency}`,
      `one whose path or aggregate of $observed is eq, or includes, ${input.currency}, since proves_money is true`,
    ),
  ];
};
