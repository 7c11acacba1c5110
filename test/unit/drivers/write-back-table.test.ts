import { describe, expect, it } from 'vitest';
import { WriteBackTable } from '../../../src/drivers/memory/write-back-table.ts';
import type { PaymentState } from '../../../src/evaluator/index.ts';
import { emptyPayment } from '../../../src/evaluator/index.ts';

const state = (paymentId: string): PaymentState => emptyPayment({ provider: 'paypal', account: 'a', paymentId });

describe('the table of payments', () => {
  it('gives back every state, live or cold', () => {
    const table = new WriteBackTable(2);
    for (let n = 0; n < 10; n += 1) table.set(`p${n}`, state(`p${n}`), null);
    for (let n = 0; n < 10; n += 1) expect(table.get(`p${n}`)).toEqual(state(`p${n}`));
    expect(table.get('p10')).toBeNull();
  });

  it('gives back the last state that was set, also after it was cold', () => {
    const table = new WriteBackTable(1);
    table.set('p', state('p'), null);
    table.set('q', state('q'), null);
    const later = { ...state('p'), touchedAt: 7 };
    table.set('p', later, null);
    table.set('q', state('q'), null);
    expect(table.get('p')).toEqual(later);
  });

  it('gives back long states too, settled or not', () => {
    const table = new WriteBackTable(1);
    const long = (paymentId: string, dropped: number): PaymentState => ({
      ...state(paymentId),
      dropped: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`refund ${n}`, dropped])),
    });
    for (const count of [1, 1000]) for (let n = 0; n < 5; n += 1) table.set(`p${n}`, long(`p${n}`, count), null);
    for (let n = 0; n < 5; n += 1) expect(table.get(`p${n}`)).toEqual(long(`p${n}`, 1000));
  });

  it('tells what is due, soonest first, until it is set anew', () => {
    const table = new WriteBackTable();
    table.set('late', state('late'), 30);
    table.set('soon', state('soon'), 10);
    table.set('never', state('never'), null);
    expect(table.nextDue(9)).toBeNull();
    expect(table.nextDue(50)).toEqual({ paymentKey: 'soon', at: 10 });
    table.set('soon', state('soon'), null);
    expect(table.nextDue(50)).toEqual({ paymentKey: 'late', at: 30 });
    table.set('late', state('late'), 60);
    expect(table.nextDue(50)).toBeNull();
  });
});
