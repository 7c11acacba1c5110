import { describe, expect, it } from 'vitest';
import { isWithin, type Json, parsePath, valueAt } from '../../../src/evaluator/index.ts';

describe('a path', () => {
  it('of an observation names its channel, then where in the answer', () => {
    expect(parsePath('$observed.refund_readback.data.refund.transactions[0].status')).toEqual({
      text: '$observed.refund_readback.data.refund.transactions[0].status',
      root: 'observed',
      channel: 'refund_readback',
      segments: ['data', 'refund', 'transactions', 0, 'status'],
    });
  });

  it.each(['input', 'action', 'operation', 'bound'])('of $%s has no channel', (root) => {
    expect(parsePath(`$${root}.a-b[0][12].c_1`)).toEqual({
      text: `$${root}.a-b[0][12].c_1`,
      root,
      channel: null,
      segments: ['a-b', 0, 12, 'c_1'],
    });
  });

  it.each([
    ['observed.x', /begins with one of \$observed, \$input/],
    ['', /begins with/],
    ['$', /names joined by dots/],
    ['$input..x', /names joined by dots/],
    ['$input.x[a]', /names joined by dots/],
    ['$input.x[1234]', /names joined by dots/],
    ['$input.1x', /names joined by dots/],
    ['$elsewhere.x', /unknown root \$elsewhere: use one of \$observed/],
    ['$observed', /names a channel/],
    ['$observed[0].x', /names a channel/],
  ])('is not %j', (text, problem) => {
    const parsed = parsePath(text);
    expect('problem' in parsed ? parsed.problem : null).toMatch(problem);
  });
});

describe('the value at a path', () => {
  const body: Json = { list: [{ status: 'A' }, { status: 'B' }], none: null };

  it.each<[readonly (string | number)[], Json | undefined]>([
    [[], body],
    [['list', 1, 'status'], 'B'],
    [['list', 2], undefined],
    [['list', 'status'], undefined],
    [['none'], null],
    [['none', 'x'], undefined],
    [[0], undefined],
    [['absent'], undefined],
  ])('%j is %j', (segments, value) => {
    expect(valueAt(body, segments)).toEqual(value);
  });

  it('is found among own properties only', () => {
    expect(valueAt(body, ['constructor'])).toBeUndefined();
    expect(valueAt(body, ['__proto__'])).toBeUndefined();
    expect(valueAt(body, ['list', 'length'])).toBeUndefined();
  });
});

describe('a path within another', () => {
  it('is at or below it', () => {
    expect(isWithin(['a', 0, 'b'], ['a'])).toBe(true);
    expect(isWithin(['a'], ['a'])).toBe(true);
    expect(isWithin(['a'], ['a', 0])).toBe(false);
    expect(isWithin(['ab'], ['a'])).toBe(false);
  });
});
