import { describe, expect, it } from 'vitest';
import type { HandoffDecided } from '../../../src/evaluator/index.ts';
import { chargeReceipt, codesOf, HandoffLog, request } from '../../support/handoff.ts';

interface Charged {
  readonly provider: string;
  readonly payment: string;
  readonly currency: string;
  readonly charged: string;
  readonly rail?: string;
  readonly claims?: object;
}

/** The answer to a request of `amount` on a charge. */
const planOf = (
  amount: string,
  { provider, payment, currency, charged, rail = provider, claims = {} }: Charged,
): HandoffDecided => {
  const log = new HandoffLog();
  const where = { provider, payment_id: payment };
  log.apply(chargeReceipt({ ...where, currency, amount: charged, rail, ...claims }));
  return log.ask(request({ ...where, amount, currency, rail }, { currency, rail, max_amount: charged }));
};

const usd = (provider: string, payment: string, more: Partial<Charged> = {}): Charged => ({
  provider,
  payment,
  currency: 'USD',
  charged: '50.00',
  ...more,
});

describe('the adapter call', () => {
  it('of Stripe is form-encoded, in the smallest unit', () => {
    const { plan } = planOf('20', usd('stripe', 'ch_1'));
    const { adapter, idempotency_key: key } = plan as NonNullable<typeof plan>;
    expect(adapter).toMatchObject({
      rail: 'stripe',
      method: 'POST',
      path: '/v1/refunds',
      headers: { 'Idempotency-Key': key },
    });
    expect(Object.fromEntries(new URLSearchParams(adapter.body))).toEqual({
      charge: 'ch_1',
      amount: '2000',
      'metadata[countersign_key]': key,
    });
  });

  it('of PayPal is the capture’s, with its request id', () => {
    const { plan, operation } = planOf('20', usd('paypal', '3C6/9'));
    expect(plan?.adapter).toMatchObject({
      path: '/v2/payments/captures/3C6%2F9/refund',
      headers: { 'PayPal-Request-Id': plan?.idempotency_key, Prefer: 'return=representation' },
    });
    expect(JSON.parse(plan?.adapter.body ?? '')).toEqual({
      amount: { value: '20.00', currency_code: 'USD' },
      custom_id: plan?.idempotency_key,
      note_to_payer: 'one of two returned',
    });
    expect(operation).toMatchObject({ input: { capture_id: '3C6/9', amount: '20.00', currency_code: 'USD' } });
  });

  it('of Square has its key in the body, within 45 characters', () => {
    const { plan } = planOf('20', usd('square', 'pay_1'));
    const body = JSON.parse(plan?.adapter.body ?? '') as { idempotency_key: string };
    expect(body).toMatchObject({ payment_id: 'pay_1', amount_money: { amount: 2000, currency: 'USD' } });
    expect(body.idempotency_key).toBe(plan?.idempotency_key);
    expect(body.idempotency_key.length).toBeLessThanOrEqual(45);
  });

  it('of Shopify is an idempotent mutation on the transaction that took the money', () => {
    const sale = { provider_proof: ['gid://shopify/OrderTransaction/7'], gateway: 'shopify_payments' };
    const { plan } = planOf('20', usd('shopify', 'gid://shopify/Order/1', { claims: sale }));
    const { query, variables } = JSON.parse(plan?.adapter.body ?? '') as { query: string; variables: object };
    expect(query).toContain(`refundCreate(input:$input)@idempotent(key:"${plan?.idempotency_key}")`);
    expect(variables).toMatchObject({
      input: {
        orderId: 'gid://shopify/Order/1',
        transactions: [
          {
            parentId: 'gid://shopify/OrderTransaction/7',
            gateway: 'shopify_payments',
            kind: 'REFUND',
            amount: '20.00',
          },
        ],
      },
    });
  });

  it('of Shopify needs the sale and its gateway from the charge receipt', () => {
    const order = (claims: object): string[] =>
      codesOf(planOf('20', usd('shopify', 'gid://shopify/Order/1', { claims })));
    expect(order({})).toEqual(['charge_incomplete']);
    expect(order({ provider_proof: ['gid://shopify/OrderTransaction/7'] })).toEqual(['charge_incomplete']);
  });

  it('of MPP is that of the provider that settled it, and of a mock nobody’s', () => {
    expect(planOf('20', usd('stripe', 'ch_1', { rail: 'mpp' })).plan?.adapter).toMatchObject({
      rail: 'mpp',
      path: '/v1/refunds',
    });
    expect(planOf('20', usd('stripe', 'ch_1', { rail: 'mock' })).plan?.adapter).toMatchObject({
      rail: 'mock',
      path: '/mock/refunds',
    });
  });
});

describe('amounts', () => {
  it.each<[string, string, string, string, unknown]>([
    ['stripe', 'JPY', '5000', '1200', 1200],
    ['square', 'JPY', '5000', '1200', 1200],
    ['paypal', 'JPY', '5000', '1200', '1200'],
    ['paypal', 'HUF', '5000', '1200', '1200'],
    ['stripe', 'KWD', '5.000', '1.230', 1230],
    ['square', 'KWD', '5.000', '1.234', 1234],
    ['paypal', 'KWD', '5.000', '1.234', '1.234'],
    ['stripe', 'ISK', '5000', '1200', 120_000],
    ['stripe', 'MGA', '5000', '49', 49],
    ['square', 'MGA', '5000.00', '49.00', 4900],
    ['stripe', 'USD', '0.10', '0.1', 10],
  ])('%s %s: of %s, %s is sent as it must be', (provider, currency, charged, amount, sent) => {
    const { plan, refusals } = planOf(amount, { provider, payment: 'p', currency, charged });
    expect(refusals).toEqual([]);
    expect(plan?.refund.provider_amount).toEqual(sent);
  });

  it('have no more decimals than the currency', () => {
    for (const [currency, amount] of [
      ['JPY', '100.5'],
      ['USD', '1.005'],
      ['KWD', '1.2345'],
    ] as const)
      expect(codesOf(planOf(amount, { provider: 'paypal', payment: 'p', currency, charged: '5000' }))).toContain(
        'amount_malformed',
      );
    const yen = planOf('100.00', { provider: 'paypal', payment: 'p', currency: 'JPY', charged: '5000' });
    expect(yen.plan?.refund.amount).toBe('100');
  });

  it('of three decimals end in 0 at Stripe', () => {
    expect(codesOf(planOf('1.234', { provider: 'stripe', payment: 'p', currency: 'KWD', charged: '5.000' }))).toEqual([
      'amount_malformed',
    ]);
  });

  it.each(['ISK', 'UGX'])('of %s are whole at Stripe, which counts them in hundredths', (currency) => {
    expect(codesOf(planOf('20.50', { provider: 'stripe', payment: 'p', currency, charged: '5000' }))).toEqual([
      'amount_malformed',
    ]);
  });

  it('are exact: the last cent is planned, and not one more', () => {
    expect(codesOf(planOf('9007199254740.99', usd('stripe', 'ch_1', { charged: '9007199254740.99' })))).toEqual([]);
    expect(codesOf(planOf('50.01', usd('stripe', 'ch_1')))).toEqual([
      'authority_bound_exceeded',
      'amount_above_charge',
    ]);
  });
});
