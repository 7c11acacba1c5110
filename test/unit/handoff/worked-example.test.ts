import { describe, expect, it } from 'vitest';
import {
  chargeReceipt,
  codesOf,
  HandoffLog,
  LEDGER,
  refundReceipt,
  request,
  stripeEvent,
} from '../../support/handoff.ts';

/** 5000 AUD were charged by Stripe, and 1000 of them are back. */
const charged = (...more: readonly object[]): HandoffLog => {
  const log = new HandoffLog();
  log.apply(chargeReceipt(), stripeEvent('re_0', 100_000), ...more);
  return log;
};

describe('the worked example of the refund handoff', () => {
  it('plans 2000 AUD, moves nothing, and says so', () => {
    const decided = charged().ask(request());
    expect(decided).toMatchObject({
      decision: 'planned',
      refusals: [],
      money_moved: false,
      provider_status: 'not_called',
      plan: {
        charge: { receipt_ref: 'rcpt-1', payer: 'cus_1', amount: '5000.00', currency: 'AUD', rail: 'stripe' },
        refund: { amount: '2000.00', currency: 'AUD', counterparty: 'cus_1', provider_amount: 200_000 },
        ceiling: {
          charged: '5000.00',
          taken: [{ kind: 'refund', id: 're_0', amount: '1000.00' }],
          remaining_before: '4000.00',
          remaining_after: '2000.00',
        },
        adapter: { rail: 'stripe', method: 'POST', path: '/v1/refunds' },
        money_moved: false,
        provider_status: 'not_called',
      },
    });
    expect(decided.plan_digest).toMatch(/^[0-9a-f]{64}$/);
    expect(decided.plan?.adapter.headers['Idempotency-Key']).toBe(decided.plan?.idempotency_key);
  });

  it('counts a reversal that a refund receipt proves, and one that both prove only once', () => {
    const byReceipt = new HandoffLog();
    byReceipt.apply(chargeReceipt(), refundReceipt());
    expect(byReceipt.ask(request()).plan?.ceiling).toMatchObject({
      taken: [{ kind: 'refund_receipt', id: 're_0', amount: '1000.00' }],
      remaining_before: '4000.00',
    });
    expect(charged(refundReceipt()).ask(request()).plan?.ceiling.remaining_before).toBe('4000.00');
  });

  it('blocks 4500 AUD, more than is left', () => {
    const decided = charged().ask(request({ amount: '4500' }));
    expect(decided).toMatchObject({ decision: 'refused', plan: null, plan_digest: null, operation: null });
    expect(decided.refusals).toEqual([
      { code: 'amount_above_remaining', check: 'amount', seen: '4500', needed: 'at most 4000.00 AUD' },
    ]);
  });

  it('blocks another payer', () => {
    const decided = charged().ask(request({ counterparty: 'cus_2' }, { payer: 'cus_2' }));
    expect(codesOf(decided)).toEqual(['payer_mismatch']);
  });

  it('blocks a receipt without settlement proof', () => {
    const log = new HandoffLog();
    log.apply(chargeReceipt({ provider_proof: [] }));
    const decided = log.ask(request());
    expect(decided.refusals).toMatchObject([
      { code: 'charge_proofless', seen: expect.stringContaining('provider_proof') },
    ]);
    const unmoved = new HandoffLog();
    unmoved.apply(chargeReceipt({ money_moved: false }));
    expect(codesOf(unmoved.ask(request()))).toEqual(['charge_proofless']);
  });

  it('gives the same plan to the same request, and none to one that drifts from it under the same authority', () => {
    const log = charged();
    const first = log.ask(request());
    expect(log.apply(request({ requested_at: '2026-09-01T12:05:00Z' })).handoffs).toEqual([]);
    const held = log.engine.stateOf('stripe:shop-1:ch_1')?.handoff?.decisions[first.handoff_id];
    expect(held).toEqual(first);
    for (const drift of [{ amount: '1999' }, { reason: 'another one' }])
      expect(codesOf(log.ask(request(drift)))).toEqual(['authority_used']);
  });

  it('prints nothing that a signature is made of', () => {
    const asked = request() as { authority: string };
    const text = JSON.stringify(charged().ask(asked));
    const [, , signature = ''] = asked.authority.split('.');
    expect(text).not.toContain(signature);
    expect(text).not.toContain(asked.authority);
    expect(text).not.toContain(LEDGER.sign({}).split('.')[0]);
  });

  it('names the plans that ended unbegun and would no longer fit, and none where all of them would', () => {
    const later = (amount: string) => {
      const log = charged();
      const first = log.ask(request());
      const at = { requested_at: '2026-09-01T13:00:00Z' };
      return [first.handoff_id, log.ask(request({ amount, ...at }, { id: 'auth-2' })).plan?.ceiling.lapsed];
    };
    expect(later('2000')[1]).toBeUndefined();
    const [first, lapsed] = later('2000.01');
    expect(lapsed).toEqual([first]);
  });
});
