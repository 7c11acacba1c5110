import { describe, expect, it } from 'vitest';
import { currencyExponent } from '../../../src/contracts/currency.ts';
import { checkInput } from '../../../src/contracts/input.ts';
import { loadContracts } from '../../../src/contracts/load.ts';
import type { Contract } from '../../../src/evaluator/contract.ts';
import type { JsonObject } from '../../../src/evaluator/json.ts';

const set = loadContracts();
const contract = (id: string, version: string): Contract => set.find(id, version)?.contract as Contract;
const paypal = contract('paypal.refund.completed', '1.1.0');
const paypalLiteral = contract('paypal.refund.completed', '1.0.0');
const square = contract('square.refund.completed', '1.1.0');
const shopify = contract('shopify.refund.created', '1.1.0');

const good = { capture_id: 'C1', amount: '10.00', currency_code: 'USD' };
const shop = { order_id: 'gid://shopify/Order/450789469', amount: '10.00', currency_code: 'USD' };
const fields = (problems: { field: string }[]): string[] => problems.map(({ field }) => field);

describe('the input of an operation', () => {
  it('is in order as the provider prints it', () => {
    expect(checkInput(paypal, good)).toEqual([]);
    expect(checkInput(square, { payment_id: 'P1', amount: 1000, currency: 'USD' })).toEqual([]);
    expect(checkInput(shopify, shop)).toEqual([]);
  });

  it('refuses a PayPal amount with too few decimals and says which form it should have', () => {
    expect(checkInput(paypal, { ...good, amount: '10.0' })).toEqual([
      {
        field: 'amount',
        was: '"10.0"',
        shouldBe: 'a decimal string of more than zero with exactly 2 decimals (USD), e.g. "10.00"',
      },
    ]);
  });

  it.each([
    ['JPY', '1000', '1000.00'],
    ['KWD', '1.000', '1.00'],
    ['HUF', '1000', '1000.00'],
    ['TWD', '1000', '1000.00'],
  ])('knows the decimals of %s', (currency, right, wrong) => {
    expect(checkInput(paypal, { ...good, currency_code: currency, amount: right })).toEqual([]);
    expect(fields(checkInput(paypal, { ...good, currency_code: currency, amount: wrong }))).toEqual(['amount']);
  });

  it('lets a Shopify amount have fewer decimals than its currency, never more', () => {
    expect(checkInput(shopify, { ...shop, amount: '10.0' })).toEqual([]);
    expect(checkInput(shopify, { ...shop, amount: '10' })).toEqual([]);
    expect(fields(checkInput(shopify, { ...shop, amount: '10.001' }))).toEqual(['amount']);
    expect(fields(checkInput(shopify, { ...shop, currency_code: 'JPY', amount: '10.0' }))).toEqual(['amount']);
  });

  it.each([
    '0.00',
    '-1.00',
    '+1.00',
    '1e2',
    ' 1.00',
    '01.00',
    '.50',
    '1.',
    '',
    '1,00',
    10,
    null,
    ['10.00'],
    '9'.repeat(40),
  ])('refuses the amount %j', (amount) => {
    expect(fields(checkInput(paypal, { ...good, amount } as JsonObject))).toEqual(['amount']);
  });

  it.each([0, -5, 10.5, '1000', 2 ** 53, 2n ** 63n, null, true])('refuses the minor units %s', (amount) => {
    expect(fields(checkInput(square, { payment_id: 'P1', amount, currency: 'USD' } as JsonObject))).toEqual(['amount']);
  });

  it('takes minor units up to int64', () => {
    expect(checkInput(square, { payment_id: 'P1', amount: 2n ** 63n - 1n, currency: 'USD' })).toEqual([]);
  });

  it('takes a currency in small letters where the contract compares it as a currency, and refuses it where as text', () => {
    expect(checkInput(paypal, { ...good, currency_code: 'usd' })).toEqual([]);
    expect(checkInput(paypalLiteral, { ...good, currency_code: 'usd' })).toEqual([
      { field: 'currency_code', was: '"usd"', shouldBe: 'a currency code of three capital letters, e.g. "USD"' },
    ]);
    expect(fields(checkInput(paypal, { ...good, currency_code: 'US$' }))).toEqual(['currency_code']);
  });

  it('names each missing field, and says nothing of optional and of undeclared ones', () => {
    expect(fields(checkInput(paypal, {}))).toEqual(['capture_id', 'amount', 'currency_code']);
    expect(checkInput(paypal, {}).every(({ was }) => was === 'missing')).toBe(true);
    expect(checkInput(paypal, { ...good, intent_ref: null, anything: [1] })).toEqual([]);
    expect(fields(checkInput(paypal, { ...good, intent_ref: 7 }))).toEqual(['intent_ref']);
  });

  it('wants a Shopify order as a global id', () => {
    expect(fields(checkInput(shopify, { ...shop, order_id: '450789469' }))).toEqual(['order_id']);
  });

  it('bounds ids, and reads own properties alone', () => {
    expect(fields(checkInput(paypal, { ...good, capture_id: 'x'.repeat(256) }))).toEqual(['capture_id']);
    expect(fields(checkInput(paypal, { ...good, capture_id: '' }))).toEqual(['capture_id']);
    expect(fields(checkInput(paypal, Object.create(good) as JsonObject))).toHaveLength(3);
  });

  it('asks of the literal 1.0.0 contracts only what they read', () => {
    expect(checkInput(contract('square.refund.completed', '1.0.0'), { payment_id: 'P1', amount: 1000 })).toEqual([]);
    expect(
      checkInput(contract('shopify.refund.created', '1.0.0'), { order_id: shop.order_id, amount: '10.0' }),
    ).toEqual([]);
  });
});

describe('currency exponents', () => {
  it.each([
    ['USD', 'stripe', 2],
    ['jpy', 'square', 0],
    ['KWD', 'shopify', 3],
    ['CLF', 'shopify', 4],
    ['HUF', 'shopify', 2],
    ['HUF', 'paypal', 0],
  ])('%s at %s has %i', (currency, provider, exponent) => {
    expect(currencyExponent(currency, provider)).toBe(exponent);
  });
});
