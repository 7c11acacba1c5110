import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Draw } from '../../../src/sandbox/draw.ts';
import { RuleBook } from '../../../src/sandbox/rule-book.ts';
import { START, startSandbox } from '../../support/sandbox.ts';

interface Rule {
  readonly name: string;
  readonly of: string;
  readonly when: { readonly nth?: number; readonly share?: number };
}

const bookOf = (...rules: readonly Rule[]) => {
  const book = new RuleBook(new Draw(1), 'test', rules);
  return (what: string, about = what) => book.find(({ of }) => of === '' || of === what, about)?.name ?? null;
};

it('takes the first rule that applies', () => {
  const find = bookOf({ name: 'a', of: 'x', when: {} }, { name: 'rest', of: '', when: {} });
  expect([find('x'), find('y')]).toEqual(['a', 'rest']);
});

it('counts for nth what meets the rest of the rule, whatever stands before it', () => {
  const find = bookOf({ name: 'first', of: 'x', when: { nth: 1 } }, { name: 'third', of: 'x', when: { nth: 3 } });
  expect([find('x'), find('y'), find('x'), find('x'), find('x')]).toEqual(['first', null, null, 'third', null]);
});

it('draws a share by what is asked about: of many about as many, and each always the same', () => {
  const find = bookOf({ name: 'some', of: '', when: { share: 0.3 } });
  const all = Array.from({ length: 1_000 }, (_, index) => find('x', `call ${index}`));
  const share = all.filter((name) => name === 'some').length / 1_000;
  expect(share).toBeGreaterThan(0.25);
  expect(share).toBeLessThan(0.35);
  expect(all.map((_, index) => find('x', `call ${index}`))).toEqual(all);
});

it('does not let the order of calls change what becomes of each payment’s refunds', async () => {
  const payments = ['ch_a', 'ch_b', 'ch_c', 'ch_d'];
  const play = async (order: readonly string[]): Promise<object> => {
    const running = await startSandbox({
      accounts: [{ provider: 'stripe', account: 'merchant-1' }],
      payments: payments.map((id) => ({ provider: 'stripe', id, amount: '10.00' })),
      refunds: [{ visible_after: ['0s', '9s'], settle_after: ['1s', '60s'], ends: 'completed', when: { share: 0.6 } }],
      webhooks: [{ delay: ['0s', '30s'] }],
    });
    for (const payment of order) await running.control('refunds', { provider: 'stripe', payment });
    await running.sandbox.advance(120_000);
    const refunds = payments.map((id) =>
      running.sandbox.world.payment('stripe', id)?.refunds.map(({ payment: _, ...rest }) => rest),
    );
    const posted = running.posted.map(({ body, at }) => `${at - START} ${body}`).sort();
    return { refunds, posted };
  };
  const expected = await play(payments);
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(payments, { minLength: 4 }), async (order) => {
      expect(await play(order)).toEqual(expected);
    }),
    { numRuns: 5 },
  );
});
