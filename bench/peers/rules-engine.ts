import { Engine, type NestedCondition } from 'json-rules-engine';
import type { CompiledComparison, CompiledContract } from '../../src/evaluator/compile.ts';
import { parseInstant } from '../../src/evaluator/instant.ts';
import { isBefore } from '../../src/evaluator/intent.ts';
import type { Json } from '../../src/evaluator/json.ts';
import type { Path } from '../../src/evaluator/path.ts';

/** What the rules of a contract are judged on; lists are already counted. */
export type Facts = Readonly<Record<string, Json>>;

const OPERATORS: Readonly<Record<string, string>> = {
  eq: 'equal',
  ne: 'notEqual',
  gt: 'greaterThan',
  gte: 'greaterThanInclusive',
  time_after: 'notBefore',
  time_before: 'before',
};

/** `$observed.refund_readback.amount.value` is the fact `refund_readback` and the path `$.amount.value` in it. */
const factOf = (path: Path): { fact: string; path?: string } => {
  const fact = path.root === 'observed' ? (path.channel ?? '') : path.root;
  const inside = path.segments
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`))
    .join('');
  return inside === '' ? { fact } : { fact, path: `$${inside}` };
};

const conditionOf = ({ path, operator, expected, as }: CompiledComparison): NestedCondition => ({
  ...factOf(path),
  operator: as === 'currency' ? `${operator}Currency` : (OPERATORS[operator] ?? operator),
  value: 'path' in expected ? factOf(expected.path) : expected.literal,
});

const precedes = (a: string, b: string, skewMs: number): boolean => {
  const [x, y] = [parseInstant(a), parseInstant(b)];
  return x !== null && y !== null && isBefore(x, y, skewMs);
};

/**
 * A contract's own rules in json-rules-engine: all VERIFIED conditions as one rule, each contradiction and each state a rule.
 * `run` answers with the types of the events that fired.
 */
export const rulesEngine = ({ contract, verified, contradicted, states }: CompiledContract) => {
  const engine = new Engine([], { allowUndefinedFacts: true });
  const skewMs = contract.timing.clock_skew_ms;
  engine.addOperator<string, string>('before', (a, b) => precedes(a, b, skewMs));
  engine.addOperator<string, string>('notBefore', (a, b) => !precedes(a, b, skewMs));
  engine.addOperator<string, string>('eqCurrency', (a, b) => a?.toUpperCase() === b?.toUpperCase());
  engine.addOperator<string, string>('neCurrency', (a, b) => a?.toUpperCase() !== b?.toUpperCase());
  const all = verified.map(({ comparison }) => conditionOf(comparison));
  engine.addRule({ conditions: { all }, event: { type: 'VERIFIED' } });
  for (const { rule, comparison } of contradicted)
    engine.addRule({ conditions: { all: [conditionOf(comparison)] }, event: { type: rule.name }, priority: 3 });
  for (const { rule, comparison } of states)
    engine.addRule({ conditions: { all: [conditionOf(comparison)] }, event: { type: rule.name }, priority: 2 });
  return async (facts: Facts): Promise<string[]> => (await engine.run(facts)).events.map(({ type }) => type);
};
