import { describe, expect, it } from 'vitest';
import { compareDecimals, decimalText, sumDecimals } from '../../../src/evaluator/index.ts';

describe('two decimal texts', () => {
  it.each<[string, string, number]>([
    ['10.0', '10.00', 0],
    ['10.00', '10.00', 0],
    ['10', '9.99', 1],
    ['9.99', '10', -1],
    ['-1', '1', -1],
    ['-0.5', '-.50', 0],
    ['.5', '0.5', 0],
    ['5.', '5', 0],
    ['90071992547409930.01', '90071992547409930.02', -1],
  ])('%s and %s compare as numbers, exactly', (a, b, order) => {
    expect(compareDecimals(a, b)).toBe(order);
  });

  it.each<[string, string]>([
    ['', ''],
    ['.', '.'],
    ['-', '-'],
    ['ten', 'ten'],
    ['1e3', '1000'],
    ['1000', '1,000'],
    ['+1', '1'],
    [' 1', '1'],
    ['1', '9'.repeat(41)],
  ])('%j and %j cannot be compared where one is no plain decimal', (a, b) => {
    expect(compareDecimals(a, b)).toBeNull();
  });
});

describe('a sum of decimal texts', () => {
  it.each<[string[], string]>([
    [[], '0'],
    [['1', '2'], '3'],
    [['0.1', '0.2'], '0.3'],
    [['10.00', '0.5'], '10.50'],
    [['-0.05'], '-0.05'],
    [['-3', '1'], '-2'],
    [['0.05', '-0.05'], '0.00'],
    [['90071992547409930.01', '0.01'], '90071992547409930.02'],
  ])('of %j is %s', (texts, sum) => {
    expect(sumDecimals(texts)).toBe(sum);
  });

  it('does not exist where one is no decimal', () => {
    expect(sumDecimals(['1', 'one'])).toBeNull();
  });
});

describe('the decimal text of a JSON value', () => {
  it.each<[unknown, string | null]>([
    ['10.0', '10.0'],
    [10n, '10'],
    [10.5, '10.5'],
    [1e21, null],
    [1e-7, null],
    [Number.POSITIVE_INFINITY, null],
    [true, null],
    [null, null],
    [undefined, null],
    [['1'], null],
  ])('%o is %o', (value, text) => {
    expect(decimalText(value)).toBe(text);
  });
});
