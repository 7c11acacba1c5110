import type { Comparison, Contract } from '../../evaluator/contract.ts';
import type { Json } from '../../evaluator/json.ts';
import { isPathText, type LintRule, lintError, observedText } from './finding.ts';

/** The literal words that a comparison takes, by itself or among others; none where it is no choice among words. */
const wordsOf = ({ operator, expected }: Comparison): readonly string[] => {
  const values: readonly Json[] =
    operator === 'eq' ? [expected] : operator === 'in' && isList(expected) ? expected : [];
  return values.filter((value): value is string => typeof value === 'string' && !isPathText(value));
};

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Whether the comparison is true of a word; for other operators than those on words it counts as false. */
const takes = (comparison: Comparison, word: string): boolean => {
  const { operator, expected } = comparison;
  if (operator === 'ne') return expected !== word;
  if (operator === 'not_in') return isList(expected) && !expected.includes(word);
  return wordsOf(comparison).includes(word);
};

/** What a path ends in: `status` of a readback and of an event's resource are one word's place. */
const lastField = ({ path, aggregate }: Comparison): string =>
  aggregate === undefined ? (path.split('.').at(-1) ?? path) : observedText({ path, aggregate } as Comparison);

const pendingWords = ({
  states,
}: Contract): { readonly rule: string; readonly match: Comparison; readonly word: string }[] =>
  states.flatMap(({ name, verdict, match }) =>
    verdict === 'PENDING' ? wordsOf(match).map((word) => ({ rule: name, match, word })) : [],
  );

/**
 * A word that a PENDING rule waits on must not verify: VERIFIED is asked before PENDING. So no VERIFIED condition may expect it, and
 * of those that look where the rule looks (a `ne` on another word is one) not all may take it.
 */
export const pendingWordsDoNotVerify: LintRule = (contract) => {
  const pending = pendingWords(contract);
  return contract.verified.flatMap((condition, index) => {
    const found = pending.find(({ match, word }) => {
      if (lastField(match) !== lastField(condition) || !takes(condition, word)) return false;
      if (wordsOf(condition).includes(word)) return true;
      const beside = contract.verified.filter((other) => observedText(other) === observedText(condition));
      return observedText(match) === observedText(condition) && beside.every((other) => takes(other, word));
    });
    if (found === undefined) return [];
    return [
      lintError(
        'pending-verifies',
        ['verified', index, 'expected'],
        `true of ${JSON.stringify(found.word)}, on which ${found.rule} still waits`,
        'true of final words alone',
      ),
    ];
  });
};
