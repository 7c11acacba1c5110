import type { CompiledAggregate, CompiledComparison } from './compile.ts';
import type { Operator } from './contract.ts';
import { compareDecimals, decimalText, sumDecimals } from './decimal.ts';
import { parseInstant } from './instant.ts';
import { isBefore } from './intent.ts';
import { isJsonObject, type Json, jsonType } from './json.ts';
import type { Subject } from './observed.ts';
import { valueAt } from './path.ts';
import { MAX_LIST } from './projection.ts';
import { LIST_INCOMPLETE, LIST_TOO_LONG, type Seen, seenValue, TYPE_MISMATCH } from './seen.ts';

export type Truth = 'true' | 'false' | 'unknown';

/** How one comparison came out. `why` is set where it is unknown. */
export interface Judged {
  readonly result: Truth;
  readonly why: string | null;
  readonly observed: Seen;
  readonly expected: Seen;
}

/** What the answer is for: inside the stale read window a read may prove but not disprove. */
export type Purpose = 'prove' | 'disprove';

const truth = (isTrue: boolean): Truth => (isTrue ? 'true' : 'false');

/** By value: JavaScript orders an integer of any size against a double exactly. */
const orderNumbers = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** -1, 0, 1; null where the two cannot be ordered. */
const order = (a: Json, b: Json, as: CompiledComparison['as']): number | null => {
  if (as === 'decimal') {
    const [x, y] = [decimalText(a), decimalText(b)];
    return x === null || y === null ? null : compareDecimals(x, y);
  }
  if (as === 'instant') {
    const [x, y] = [instantOf(a), instantOf(b)];
    return x === null || y === null ? null : x.startMs - y.startMs;
  }
  if (jsonType(a) !== 'number' || jsonType(b) !== 'number') return null;
  return orderNumbers(a as number | bigint, b as number | bigint);
};

const instantOf = (json: Json) => (typeof json === 'string' ? parseInstant(json) : null);

/** Equality of two JSON values; null across types, or where `as` cannot read one of them. */
const isEqual = (a: Json, b: Json, as: CompiledComparison['as']): boolean | null => {
  if (as === 'decimal' || as === 'instant') {
    const ordered = order(a, b, as);
    return ordered === null ? null : ordered === 0;
  }
  const type = jsonType(a);
  if (type !== jsonType(b) || type === 'array' || type === 'object') return null;
  if (type === 'number') return orderNumbers(a as number | bigint, b as number | bigint) === 0;
  if (as === 'currency' && typeof a === 'string' && typeof b === 'string') return a.toUpperCase() === b.toUpperCase();
  return a === b;
};

/** Whether `list` holds `value`: null where no element is of its type. */
const holds = (list: readonly Json[], value: Json, as: CompiledComparison['as']): boolean | null => {
  let isComparable = list.length === 0;
  for (const element of list) {
    const same = isEqual(element, value, as);
    if (same === true) return true;
    if (same === false) isComparable = true;
  }
  return isComparable ? false : null;
};

const negate = (result: boolean | null): boolean | null => (result === null ? null : !result);

const compareValues = (
  a: Json,
  operator: Operator,
  b: Json,
  as: CompiledComparison['as'],
  skewMs: number,
): boolean | null => {
  switch (operator) {
    case 'eq':
      return isEqual(a, b, as);
    case 'ne':
      return negate(isEqual(a, b, as));
    case 'in':
      return Array.isArray(b) ? holds(b as readonly Json[], a, as) : null;
    case 'not_in':
      return Array.isArray(b) ? negate(holds(b as readonly Json[], a, as)) : null;
    case 'includes':
      return Array.isArray(a) ? holds(a as readonly Json[], b, as) : null;
    case 'excludes':
      return Array.isArray(a) ? negate(holds(a as readonly Json[], b, as)) : null;
    case 'time_before':
    case 'time_after': {
      const [x, y] = [instantOf(a), instantOf(b)];
      if (x === null || y === null) return null;
      return operator === 'time_before' ? isBefore(x, y, skewMs) : !isBefore(x, y, skewMs);
    }
    default: {
      const ordered = order(a, b, as);
      if (ordered === null) return null;
      if (operator === 'gt') return ordered > 0;
      if (operator === 'gte') return ordered >= 0;
      return operator === 'lt' ? ordered < 0 : ordered <= 0;
    }
  }
};

/** A count that is still open is an interval: unknown only where the comparison could go either way. */
const compareInterval = (least: number, most: number, operator: Operator, expected: Json): Truth => {
  const results = new Set<boolean | null>();
  for (let count = least; count <= most; count += 1) results.add(compareValues(count, operator, expected, null, 0));
  const [only = null] = results;
  return results.size === 1 && only !== null ? truth(only) : 'unknown';
};

const MONEY_NAMES = ['shopMoney', 'presentmentMoney'] as const;

const moneyOf = (bag: Json, currency: string): string | null => {
  for (const name of MONEY_NAMES) {
    const money = valueAt(bag, [name]);
    const code = valueAt(money, ['currencyCode']);
    if (typeof code === 'string' && code.toUpperCase() === currency.toUpperCase()) {
      return decimalText(valueAt(money, ['amount']));
    }
  }
  return null;
};

const currenciesOf = (bag: Json): string[] =>
  MONEY_NAMES.map((name) => valueAt(bag, [name, 'currencyCode'])).filter(
    (code): code is string => typeof code === 'string',
  );

const aggregated = (subject: Subject, seen: Seen, aggregate: CompiledAggregate): Seen => {
  if (seen.kind !== 'value') return seen;
  const { isSuspect } = seen;
  const currency = currencyOf(subject, aggregate);
  if (aggregate.op === 'currencies') {
    const codes = currenciesOf(seen.value);
    return seenValue(codes.length === 0 ? null : codes, isSuspect);
  }
  if (aggregate.op === 'money') {
    const amount = currency === null ? null : moneyOf(seen.value, currency);
    return seenValue(amount, isSuspect);
  }
  if (!Array.isArray(seen.value)) return TYPE_MISMATCH;
  const list = seen.value as readonly Json[];
  if (list.length >= MAX_LIST) return LIST_TOO_LONG;
  // An element that nobody has seen may match or not.
  if (list.includes(null)) return LIST_INCOMPLETE;
  const chosen = list.filter((element) =>
    aggregate.where.every(({ field, values }) => {
      const found = valueAt(element, field);
      return typeof found === 'string' && values.includes(found);
    }),
  );
  if (aggregate.op === 'count') return seenValue(chosen.length, isSuspect);
  const amounts = chosen.map((element) => {
    const found = valueAt(element, aggregate.of);
    if (found === undefined || found === null) return null;
    return isJsonObject(found) ? (currency === null ? null : moneyOf(found, currency)) : decimalText(found);
  });
  const sum = amounts.includes(null) ? null : sumDecimals(amounts as string[]);
  return seenValue(sum, isSuspect);
};

const currencyOf = (subject: Subject, aggregate: CompiledAggregate): string | null => {
  if (aggregate.currency === null || typeof aggregate.currency === 'string') return aggregate.currency;
  const seen = subject.look(aggregate.currency);
  return seen.kind === 'value' && typeof seen.value === 'string' ? seen.value : null;
};

const outcome = (result: Truth, why: string | null, observed: Seen, expected: Seen): Judged => ({
  result,
  why,
  observed,
  expected,
});

const judgeOne = (subject: Subject, comparison: CompiledComparison, purpose: Purpose): Judged => {
  const found = subject.look(comparison.observed);
  const observed = comparison.aggregate === null ? found : aggregated(subject, found, comparison.aggregate);
  const expected = 'seen' in comparison.expected ? comparison.expected.seen : subject.look(comparison.expected.lookup);
  if (observed.kind === 'unknown') return outcome('unknown', observed.why, observed, expected);
  if (expected.kind !== 'value') return outcome('unknown', 'expected_missing', observed, expected);
  if (observed.kind === 'interval') {
    const result = compareInterval(observed.least, observed.most, comparison.operator, expected.value);
    return outcome(result, result === 'unknown' ? observed.why : null, observed, expected);
  }
  const skewMs = subject.contract.contract.timing.clock_skew_ms;
  const result = compareValues(observed.value, comparison.operator, expected.value, comparison.as, skewMs);
  if (result === null) return outcome('unknown', 'type_mismatch', observed, expected);
  if (observed.isSuspect && result === (purpose === 'disprove'))
    return outcome('unknown', 'stale_read', observed, expected);
  return outcome(truth(result), null, observed, expected);
};

/** Judges a comparison and all that it says `and` of: false if one is false, else unknown if one is unknown. */
export const judge = (subject: Subject, comparison: CompiledComparison, purpose: Purpose): Judged => {
  const first = judgeOne(subject, comparison, purpose);
  if (comparison.and.length === 0 || first.result === 'false') return first;
  let worst = first;
  for (const further of comparison.and) {
    const next = judge(subject, further, purpose);
    if (next.result === 'false') return { ...first, result: 'false', why: null };
    if (next.result === 'unknown' && worst.result === 'true') worst = { ...first, result: 'unknown', why: next.why };
  }
  return worst;
};

const UNSAID: readonly (string | null)[] = ['missing', 'no_answer', 'expected_missing', 'channel_undeclared'];

/** Whether it is unknown only because nobody said, which `when_unknown: pass` lets pass. */
export const isMerelyMissing = (judged: Judged): boolean => judged.result === 'unknown' && UNSAID.includes(judged.why);
