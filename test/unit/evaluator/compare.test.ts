import { describe, expect, it } from 'vitest';
import type { Aggregate, Comparison, Json, JsonObject, Operator } from '../../../src/evaluator/index.ts';
import { condition, SMALL, smallSet } from '../../support/small-contract.ts';
import {
  acted,
  at,
  event,
  judgedAfter,
  list,
  outcomeAfter,
  play,
  read,
  refundFacts,
  started,
} from '../../support/story.ts';

/** How one comparison of what the action answered comes out, as `result` or `unknown why`. */
const judged = (observed: Json | undefined, comparison: Omit<Comparison, 'path'>, input: JsonObject = {}): string => {
  const contracts = smallSet({ verified: [condition({ path: '$action.result.value', ...comparison })] });
  const result: JsonObject = observed === undefined ? { id: 'R1' } : { id: 'R1', value: observed };
  const log = [started('op-1', 0, { ...SMALL, input }), { ...acted('op-1', 1, 'R1'), result }];
  return outcomeAfter(contracts, log);
};

const compared = (observed: Json, operator: Operator, value: Json, as?: Comparison['as']): string => {
  const expected = '$input.expected';
  return judged(observed, as === undefined ? { operator, expected } : { operator, expected, as }, { expected: value });
};

describe('equality', () => {
  it.each<[Json, Json, string]>([
    ['10.00', '10.00', 'true'],
    ['10.0', '10.00', 'false'],
    ['usd', 'USD', 'false'],
    [10, 10, 'true'],
    [10, 10n, 'true'],
    [10n, 10, 'true'],
    [10.5, 10n, 'false'],
    [9_007_199_254_740_993n, 9_007_199_254_740_992n, 'false'],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n, 'true'],
    [9_007_199_254_740_992, 9_007_199_254_740_993n, 'false'],
    [true, true, 'true'],
    [true, false, 'false'],
  ])('of %o and %o normalises nothing and is exact: %s', (a, b, result) => {
    expect(compared(a, 'eq', b)).toBe(result);
    expect(compared(a, 'ne', b)).toBe(result === 'true' ? 'false' : 'true');
  });

  it.each<[Json, Json]>([
    ['10', 10],
    [1, true],
    [[1], [1]],
    [{ a: 1 }, { a: 1 }],
  ])('across JSON types, or of %o and %o, is unknown, and so is ne', (a, b) => {
    expect(compared(a, 'eq', b)).toBe('unknown type_mismatch');
    expect(compared(a, 'ne', b)).toBe('unknown type_mismatch');
  });

  it.each(['eq', 'ne'] as const)('%s with a value that is missing or null is unknown', (operator) => {
    expect(judged(undefined, { operator, expected: 'x' })).toBe('unknown missing');
    expect(judged(null, { operator, expected: 'x' })).toBe('unknown missing');
  });

  it('with an expectation that does not resolve is unknown', () => {
    expect(judged('x', { operator: 'ne', expected: '$input.custom_id' })).toBe('unknown expected_missing');
    expect(judged('x', { operator: 'eq', expected: '$input.custom_id' }, { custom_id: 'x' })).toBe('true');
  });
});

describe('a comparison as', () => {
  it.each<[Json, Operator, Json, string]>([
    ['10.0', 'eq', '10.00', 'true'],
    ['10.0', 'ne', '10.00', 'false'],
    [10, 'eq', '10.00', 'true'],
    [10n, 'lt', '10.01', 'true'],
    ['9.99', 'gte', '10', 'false'],
    ['ten', 'eq', '10', 'unknown type_mismatch'],
    [true, 'eq', '10', 'unknown type_mismatch'],
    ['10', 'eq', true, 'unknown type_mismatch'],
  ])('decimal: %o %s %o is %s', (a, operator, b, result) => {
    expect(compared(a, operator, b, 'decimal')).toBe(result);
  });

  it.each<[Json, Operator, Json, string]>([
    ['2026-09-01T12:00:00Z', 'eq', '2026-09-01T14:00:00.000+02:00', 'true'],
    ['2026-09-01T12:00:00Z', 'lt', '2026-09-01T12:00:01Z', 'true'],
    ['2026-09-01T12:00:00Z', 'gt', '2026-09-01T12:00:01Z', 'false'],
    ['noon', 'eq', '2026-09-01T12:00:00Z', 'unknown type_mismatch'],
    [12, 'eq', '2026-09-01T12:00:00Z', 'unknown type_mismatch'],
    ['2026-09-01T12:00:00Z', 'eq', 12, 'unknown type_mismatch'],
  ])('instant: %o %s %o is %s', (a, operator, b, result) => {
    expect(compared(a, operator, b, 'instant')).toBe(result);
  });

  it.each<[Json, Json, string]>([
    ['usd', 'USD', 'true'],
    ['eur', 'USD', 'false'],
    [840, 840, 'true'],
  ])('currency: %o and %o are equal: %s', (a, b, result) => {
    expect(compared(a, 'eq', b, 'currency')).toBe(result);
  });
});

describe('an order', () => {
  it.each<[Json, Operator, Json, string]>([
    [2, 'gt', 1, 'true'],
    [1, 'gt', 1, 'false'],
    [1, 'gte', 1n, 'true'],
    [1, 'lt', 2, 'true'],
    [1, 'lt', 1, 'false'],
    [1, 'lte', 1, 'true'],
    [2n, 'lte', 1.5, 'false'],
    ['2', 'gt', 1, 'unknown type_mismatch'],
    [2, 'gt', '1', 'unknown type_mismatch'],
    ['b', 'gt', 'a', 'unknown type_mismatch'],
  ])('is numeric: %o %s %o is %s', (a, operator, b, result) => {
    expect(compared(a, operator, b)).toBe(result);
  });
});

describe('membership', () => {
  it.each<[Json, Operator, Json, string]>([
    ['A', 'in', ['A', 'B'], 'true'],
    ['C', 'in', ['A', 'B'], 'false'],
    ['C', 'not_in', ['A', 'B'], 'true'],
    ['A', 'not_in', ['A', 'B'], 'false'],
    ['A', 'in', [], 'false'],
    ['A', 'in', [1, 2], 'unknown type_mismatch'],
    ['A', 'not_in', [1, 2], 'unknown type_mismatch'],
    ['A', 'in', [1, 'A'], 'true'],
    ['A', 'in', 'A', 'unknown type_mismatch'],
    ['A', 'not_in', 'A', 'unknown type_mismatch'],
    [['A', 'B'], 'includes', 'A', 'true'],
    [['A', 'B'], 'includes', 'C', 'false'],
    [['A', 'B'], 'excludes', 'C', 'true'],
    [['A', 'B'], 'excludes', 'A', 'false'],
    ['A', 'includes', 'A', 'unknown type_mismatch'],
    ['A', 'excludes', 'B', 'unknown type_mismatch'],
  ])('%o %s %o is %s', (a, operator, b, result) => {
    expect(compared(a, operator, b)).toBe(result);
  });

  it('is judged with `as`', () => {
    expect(compared('usd', 'in', ['USD'], 'currency')).toBe('true');
    expect(compared(['10.0'], 'includes', '10.00', 'decimal')).toBe('true');
  });
});

describe('a printed time', () => {
  it.each<[Json, Operator, Json, string]>([
    ['2026-09-01T11:59:59Z', 'time_before', '2026-09-01T12:00:00.350Z', 'true'],
    ['2026-09-01T12:00:00Z', 'time_before', '2026-09-01T12:00:00.350Z', 'false'],
    ['2026-09-01T12:00:00Z', 'time_after', '2026-09-01T12:00:00.350Z', 'true'],
    ['2026-09-01T11:59:59Z', 'time_after', '2026-09-01T12:00:00.350Z', 'false'],
    ['yesterday', 'time_after', '2026-09-01T12:00:00Z', 'unknown type_mismatch'],
    ['2026-09-01T12:00:00Z', 'time_before', 'tomorrow', 'unknown type_mismatch'],
  ])('%o %s %o is %s', (a, operator, b, result) => {
    expect(compared(a, operator, b)).toBe(result);
  });
});

describe('further comparisons', () => {
  const and = (first: Json, ...further: Json[]): string =>
    judged('A', {
      operator: 'eq',
      expected: first,
      and: further.map((expected) => ({ path: '$action.result.value', operator: 'eq' as const, expected })),
    });

  it('must all hold', () => {
    expect(and('A', 'A', 'A')).toBe('true');
    expect(and('A', 'A', 'B')).toBe('false');
    expect(and('B', 'A')).toBe('false');
  });

  it('are false if one is false, whatever else is unknown', () => {
    expect(and('A', 1, 'B')).toBe('false');
    expect(and(1, 'B')).toBe('false');
  });

  it('are unknown if one is unknown and none is false, with the first why', () => {
    expect(and('A', 1, 'A')).toBe('unknown type_mismatch');
    expect(and(1, 'A', 1)).toBe('unknown type_mismatch');
    const absent = { path: '$action.result.none', operator: 'eq', expected: 'A' } as const;
    const odd = { path: '$action.result.value', operator: 'eq', expected: 1 } as const;
    expect(judged('A', { operator: 'eq', expected: 'A', and: [absent, odd] })).toBe('unknown missing');
    expect(judged('A', { operator: 'eq', expected: 'A', and: [odd, absent] })).toBe('unknown type_mismatch');
    expect(judged('A', { operator: 'eq', expected: 1, and: [absent] })).toBe('unknown type_mismatch');
  });
});

describe('an aggregate', () => {
  const aggregated = (observed: Json, aggregate: Aggregate, operator: Operator, expected: Json, input?: JsonObject) =>
    judged(observed, { aggregate, operator, expected }, input);
  const bag = (shop: string, presentment: string) => ({
    shopMoney: { amount: shop, currencyCode: 'USD' },
    presentmentMoney: { amount: presentment, currencyCode: 'EUR' },
  });
  const parts: Json = [
    { kind: 'REFUND', status: 'SUCCESS', amount: '4.00', set: bag('4.00', '3.50') },
    { kind: 'REFUND', status: 'PENDING', amount: '6.00', set: bag('6.00', '5.50') },
    { kind: 'SALE', status: 'SUCCESS', amount: '9.00', set: bag('9.00', '8.50') },
    { kind: 7, status: 'SUCCESS', amount: '1.00' },
  ];
  const where = { kind: ['REFUND'], status: ['SUCCESS', 'PENDING'] };

  it('counts the elements that match', () => {
    expect(aggregated(parts, { op: 'count', where }, 'eq', 2)).toBe('true');
    expect(aggregated(parts, { op: 'count' }, 'eq', 4)).toBe('true');
    expect(aggregated([], { op: 'count' }, 'eq', 0)).toBe('true');
  });

  it('sums exactly', () => {
    expect(aggregated(parts, { op: 'sum', of: 'amount', where }, 'eq', '10.00')).toBe('true');
    expect(aggregated([{ n: 1 }, { n: 2n }], { op: 'sum', of: 'n' }, 'eq', '3')).toBe('true');
  });

  it('sums money in the currency asked for, a literal or a path', () => {
    const sum = (currency: string, expected: string, input?: JsonObject) =>
      aggregated(parts, { op: 'sum', of: 'set', where, currency }, 'eq', expected, input);
    expect(sum('usd', '10.00')).toBe('true');
    expect(sum('EUR', '9.00')).toBe('true');
    expect(sum('$input.currency_code', '10.00')).toBe('true');
    expect(sum('JPY', '10.00')).toBe('unknown missing');
    expect(sum('$input.custom_id', '10.00')).toBe('unknown missing');
    expect(sum('$input.custom_id', '10.00', { custom_id: 7 })).toBe('unknown missing');
    expect(aggregated(parts, { op: 'sum', of: 'set', where }, 'eq', '10.00')).toBe('unknown missing');
  });

  it('has no sum where an element has no amount, or none that is a decimal', () => {
    expect(aggregated([{ n: '1' }, {}], { op: 'sum', of: 'n' }, 'eq', '1')).toBe('unknown missing');
    expect(aggregated([{ n: null }], { op: 'sum', of: 'n' }, 'eq', '0')).toBe('unknown missing');
    expect(aggregated([{ n: 'one' }], { op: 'sum', of: 'n' }, 'eq', '1')).toBe('unknown missing');
  });

  it('takes the amount of a money bag', () => {
    expect(aggregated(bag('4.00', '3.50'), { op: 'money', currency: 'EUR' }, 'eq', '3.50')).toBe('true');
    expect(aggregated(bag('4.00', '3.50'), { op: 'money', currency: 'JPY' }, 'eq', '3.50')).toBe('unknown missing');
    expect(aggregated(bag('4.00', '3.50'), { op: 'money' }, 'eq', '3.50')).toBe('unknown missing');
    expect(aggregated('4.00', { op: 'money', currency: 'EUR' }, 'eq', '3.50')).toBe('unknown missing');
  });

  it('lists the currencies of a money bag', () => {
    expect(aggregated(bag('4.00', '3.50'), { op: 'currencies' }, 'includes', 'EUR')).toBe('true');
    expect(aggregated(bag('4.00', '3.50'), { op: 'currencies' }, 'excludes', 'JPY')).toBe('true');
    expect(aggregated({ shopMoney: {} }, { op: 'currencies' }, 'excludes', 'JPY')).toBe('unknown missing');
  });

  it('of what is missing or no list is unknown', () => {
    expect(aggregated(null, { op: 'count' }, 'eq', 0)).toBe('unknown missing');
    expect(aggregated({ a: 1 }, { op: 'count' }, 'eq', 1)).toBe('unknown type_mismatch');
  });

  it('of a list with an element that nobody has seen is unknown', () => {
    expect(aggregated(['x', null], { op: 'count' }, 'gte', 1)).toBe('unknown list_incomplete');
  });

  it('of a list that was cut off is unknown', () => {
    const long = Array.from({ length: 250 }, () => 'x');
    expect(aggregated(long, { op: 'count' }, 'gte', 1)).toBe('unknown list_too_long');
    expect(aggregated(long.slice(1), { op: 'count' }, 'eq', 249)).toBe('true');
  });
});

describe('an open count', () => {
  const open = (operator: Operator, expected: Json): string => {
    const path = '$observed.payment_events.count';
    const contracts = smallSet({ verified: [condition({ path, operator, expected })] });
    const log = [started('op-1', 0, SMALL), acted('op-1', 1, 'R1'), event('R1', 4), event('R2', 5)];
    return outcomeAfter(contracts, log);
  };

  it.each<[Operator, Json, string]>([
    ['gte', 1, 'true'],
    ['lte', 2, 'true'],
    ['gt', 2, 'false'],
    ['gt', 1, 'unknown attribution_window_open'],
    ['eq', 1, 'unknown attribution_window_open'],
    ['eq', '1', 'unknown attribution_window_open'],
  ])('from 1 to 2 %s %o is %s', (operator, expected, result) => {
    expect(open(operator, expected)).toBe(result);
  });

  it('is shown as the interval that it is', () => {
    const path = '$observed.payment_events.count';
    const contracts = smallSet({ verified: [condition({ path, operator: 'lte', expected: 9 })] });
    const log = [started('op-1', 0, SMALL), acted('op-1', 1, 'R1'), event('R1', 4), event('R2', 5)];
    expect(judgedAfter(contracts, log)[0]?.observed).toBe('1 to 2');
  });
});

describe('a read inside the stale read window', () => {
  const contradicts = (path: string, expected: Json, ...reads: ReturnType<typeof read>[]): string => {
    const contracts = smallSet({
      contradicted: [{ name: 'it_is_wrong', class: 'wrong_amount', reason: 'Wrong.', path, operator: 'eq', expected }],
    });
    return outcomeAfter(contracts, [started('op-1', 0, SMALL), acted('op-1', 1, 'R1'), ...reads]);
  };

  it('may not disprove by a volatile field, and may from its end on', () => {
    const status = '$observed.refund_readback.status';
    expect(contradicts(status, 'FAILED', read('op-1', 20.9, 'R1', { status: 'FAILED' }))).toBe('unknown stale_read');
    expect(contradicts(status, 'FAILED', read('op-1', 21, 'R1', { status: 'FAILED' }))).toBe('true');
    expect(contradicts(status, 'FAILED', read('op-1', 3, 'R1', { status: 'COMPLETED' }))).toBe('false');
  });

  it('may disprove by a field that cannot change', () => {
    expect(
      contradicts('$observed.refund_readback.amount.value', '12.00', read('op-1', 3, 'R1', { amount: '12.00' })),
    ).toBe('true');
  });

  it('may not disprove by a list either, counted from the last action', () => {
    const listed = (seconds: number) => ({
      ...list('op-1', seconds, [refundFacts('R1', 2, {})]),
      body: { refunds: ['R1'], total: 1 },
    });
    const first = '$observed.payment_readback.refunds[0]';
    expect(contradicts(first, 'R1', listed(20.9))).toBe('unknown stale_read');
    expect(contradicts(first, 'R1', listed(21))).toBe('true');
    expect(contradicts('$observed.payment_readback.total', 1, listed(3))).toBe('true');
    expect(contradicts(first, 'R1')).toBe('unknown no_answer');
  });

  it('without an action, a list disproves at once', () => {
    const path = '$observed.payment_readback.refunds[0]';
    const contracts = smallSet({
      contradicted: [
        { name: 'it_is_wrong', class: 'wrong_amount', reason: 'Wrong.', path, operator: 'eq', expected: 'R1' },
      ],
    });
    const listed = { ...list('op-1', 3, []), body: { refunds: ['R1'] } };
    expect(play(contracts, [started('op-1', 0, SMALL), listed]).last().verdict).toBe('CONTRADICTED');
    expect(listed.at).toBe(at(3));
  });
});
