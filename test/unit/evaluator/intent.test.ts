import { describe, expect, it } from 'vitest';
import { compileContract } from '../../../src/evaluator/compile.ts';
import type { JsonObject } from '../../../src/evaluator/index.ts';
import { intentOf, isSameMoney } from '../../../src/evaluator/intent.ts';
import type { OperationStart } from '../../../src/evaluator/state.ts';
import { smallContract } from '../../support/small-contract.ts';
import { NOON, started } from '../../support/story.ts';

const REF = { id: 'test.refund', version: '1.0.0', hash: '0' };
const contract = compileContract(smallContract(), REF);
const withoutCurrency = compileContract(
  smallContract({ input: { payment_id: '$input.id', amount: '$input.amount', currency: null, fields: {} } }),
  REF,
);

const start = (input: JsonObject, createdAt = '2026-09-01T12:00:00.350Z'): OperationStart => ({
  ...started('op-1', 0.35),
  input,
  createdAt,
});

describe('an intent', () => {
  it('is read out of the input by the contract', () => {
    expect(intentOf(start({ amount: 1000, currency_code: 'usd', intent_ref: 'line-1' }), contract)).toEqual({
      amount: '1000',
      currency: 'USD',
      intentRef: 'line-1',
      createdAt: { startMs: NOON + 350, endMs: NOON + 351 },
    });
  });

  it('takes a currency that the input states though the contract reads none', () => {
    expect(intentOf(start({ currency_code: 'eur' }), withoutCurrency).currency).toBe('EUR');
    expect(intentOf(start({ currency: 'eur' }), withoutCurrency).currency).toBe('EUR');
    expect(intentOf(start({ currency: 978 }), withoutCurrency).currency).toBeNull();
    expect(intentOf(start({}), withoutCurrency).currency).toBeNull();
  });

  it('knows no amount and no reference where the input states none that can be one', () => {
    expect(intentOf(start({ amount: null, intent_ref: 7 }), contract)).toMatchObject({ amount: null, intentRef: null });
    expect(intentOf(start({}), contract)).toMatchObject({ amount: null, intentRef: null });
  });

  it("takes the record's own time where created_at is no instant", () => {
    expect(intentOf(start({}, 'at noon'), contract).createdAt).toEqual({ startMs: NOON + 350, endMs: NOON + 351 });
  });
});

describe('two sums of money', () => {
  const money = (amount: string | null, currency: string | null) => ({ amount, currency });

  it.each([
    [money('10.0', 'usd'), money('10.00', 'USD'), true],
    [money('10.00', 'USD'), money('10.01', 'USD'), false],
    [money('10.00', 'USD'), money('10.00', 'EUR'), false],
    [money(null, 'USD'), money('10.00', 'EUR'), false],
    [money('10.00', null), money('10.00', 'EUR'), true],
    [money('10.00', 'USD'), money('10.00', null), true],
    [money(null, 'USD'), money('10.00', 'USD'), null],
    [money('10.00', 'USD'), money(null, 'USD'), null],
    [money('ten', 'USD'), money('10.00', 'USD'), null],
  ])('%j and %j are the same: %s', (a, b, same) => {
    expect(isSameMoney(a, b)).toBe(same);
  });

  it('in another currency may be the same where the second sum is not stated', () => {
    const inEuros = { ...money('10.00', 'EUR'), otherMoney: null };
    expect(isSameMoney(inEuros, money('11.00', 'USD'))).toBe(null);
    expect(isSameMoney(inEuros, money('10.00', 'EUR'))).toBe(true);
    expect(isSameMoney(inEuros, money('11.00', 'EUR'))).toBe(false);
    expect(isSameMoney({ ...inEuros, amount: null }, money('11.00', 'EUR'))).toBe(null);
  });

  it('stated in two currencies are the same where one of them is', () => {
    const inBoth = { ...money('11.00', 'USD'), otherMoney: { amount: '10.0', currency: 'EUR' } };
    expect(isSameMoney(inBoth, money('11.00', 'USD'))).toBe(true);
    expect(isSameMoney(inBoth, money('10.00', 'EUR'))).toBe(true);
    expect(isSameMoney(inBoth, money('11.00', 'EUR'))).toBe(false);
    expect(isSameMoney({ ...inBoth, amount: null }, money('11.00', 'USD'))).toBe(null);
  });
});
