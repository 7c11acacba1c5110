import { describe, expect, it } from 'vitest';
import { amendState, reduceSilently } from '../../../src/consumers/replayed-payments.ts';
import type { ContractSet, PaymentState, PaymentStep } from '../../../src/evaluator/index.ts';
import type { PublishedPayments, PublishedRevision } from '../../../src/ports/verdict-publisher.ts';
import { sealerWith, testKey, verdictOf } from '../../support/receipts.ts';

const REF = { provider: 'paypal', account: 'merchant-1', paymentId: '3C679366HH908993R' } as const;
const KEY = 'paypal:merchant-1:3C679366HH908993R';

const revision = (number: number, receipt: string | null): PublishedRevision => ({
  revision: number,
  verdict: 'VERIFIED',
  class: null,
  reason: 'all_conditions_hold',
  detail: '',
  moneyMoved: true,
  duplicates: 0,
  told: 'none::',
  decidedAt: 0,
  receipt,
});
const publishedAs = (...revisions: PublishedRevision[]): PublishedPayments =>
  new Map([[KEY, { ref: REF, operations: new Map([['op-1', revisions]]) }]]);

describe('receipts, after a store went back in time', () => {
  it('a state takes the last receipt that was published of its operation', () => {
    const published = publishedAs(revision(1, null), revision(2, 'h2'), revision(3, 'h3'));
    const state = amendState(published, KEY, null);
    expect(state?.operations['op-1']?.receipt).toEqual({ revision: 3, hash: 'h3' });
  });

  it('a state that is as far as what was published keeps its own', () => {
    const before = amendState(publishedAs(revision(1, 'h1'), revision(2, 'h2')), KEY, null);
    expect(amendState(publishedAs(revision(1, 'other')), KEY, before)).toEqual(before);
  });

  it('a revision without one leaves the one before it', () => {
    const before = amendState(publishedAs(revision(1, 'h1')), KEY, null);
    const state = amendState(publishedAs(revision(2, null)), KEY, before);
    expect(state?.operations['op-1']?.receipt).toEqual({ revision: 1, hash: 'h1' });
  });

  it('what the replay passes through and does not say is not linked to', () => {
    const published = publishedAs(revision(1, 'h1'));
    const held = amendState(published, KEY, null) as PaymentState;
    const linked = sealerWith(testKey('k1')).link(
      () =>
        ({
          state: held,
          verdicts: [verdictOf('op-1', 2), verdictOf('op-1', 3)],
        }) as Partial<PaymentStep> as PaymentStep,
    );
    const input = { ref: REF, state: held, observations: [], appliedAt: [], now: 0 };
    const step = reduceSilently(linked, published)({} as ContractSet, input);
    expect(step.verdicts).toEqual([]);
    expect(step.state.operations['op-1']).toEqual(held.operations['op-1']);
  });
});
