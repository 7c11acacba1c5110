import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { REFUSAL_CHECKS, type RefusalCode } from '../../../src/handoff/index.ts';
import {
  authorityClaims,
  chargeClaims,
  chargeReceipt,
  codesOf,
  HandoffLog,
  LEDGER,
  RISK,
  refundReceipt,
  request,
  signer,
  stripeEvent,
  TEST_LEDGER,
} from '../../support/handoff.ts';

const met = new Set<string>();

/** The codes of the answer to `asked`, after `records`. */
const refusedFor = (asked: object, ...records: readonly object[]): string[] => {
  const log = new HandoffLog();
  if (records.length > 0) log.apply(...records);
  const codes = codesOf(log.ask(asked));
  for (const code of codes) met.add(code);
  return codes;
};

const STRANGER = signer('ledger', ['charges', 'refunds', 'authorities']);

describe('the charge receipt', () => {
  it.each<[RefusalCode, object[]]>([
    ['charge_unknown', []],
    ['charge_reference_only', [chargeReceipt({}, { receipt: null })]],
    ['charge_unsealed', [chargeReceipt({}, { receipt: STRANGER.sign(chargeClaims()) })]],
    ['charge_unsealed', [chargeReceipt({}, { receipt: RISK.sign(chargeClaims({ iss: 'risk' })) })]],
    ['charge_unsealed', [chargeReceipt({}, { receipt: LEDGER.sign(chargeClaims({ payment_id: 'ch_2' })) })]],
    ['charge_unsealed', [chargeReceipt({}, { receipt: LEDGER.sign(chargeClaims({ realm: 'test' })) })]],
    ['charge_unsealed', [chargeReceipt({}, { receipt: LEDGER.sign(chargeClaims({ iss: 7 })) })]],
    ['charge_unsealed', [chargeReceipt({}, { receipt: LEDGER.sign(chargeClaims({ iss: 'nobody' })) })]],
    ['charge_unsealed', [chargeReceipt({}, { receipt: 'not a JWS' })]],
    ['charge_proofless', [chargeReceipt({ provider_proof: [] })]],
    ['charge_proofless', [chargeReceipt({ provider_proof: ['evt_*'] })]],
    ['charge_proofless', [chargeReceipt({ money_moved: 'true' })]],
    ['charge_conflict', [chargeReceipt(), chargeReceipt({ amount: '6000' })]],
    ['charge_expired', [chargeReceipt({ issued_at: '2025-06-01T00:00:00Z' })]],
    ['charge_incomplete', [chargeReceipt({ amount: '5000.001' })]],
    ['currency_mismatch', [chargeReceipt({ currency: 'USD' })]],
    ['rail_mismatch', [chargeReceipt({ rail: 'mpp' })]],
    ['payer_mismatch', [chargeReceipt({ payer: 'cus_2' })]],
  ])('stops the plan: %s', (code, records) => {
    expect(refusedFor(request(), ...records)).toEqual([code]);
  });

  it('that is proven is displaced by nothing that is not, in whatever order they come', () => {
    const bad = [
      chargeReceipt({}, { receipt: null }),
      chargeReceipt({}, { receipt: 'x' }),
      chargeReceipt({ provider_proof: [] }),
    ];
    expect(refusedFor(request(), chargeReceipt(), ...bad)).toEqual([]);
    expect(refusedFor(request(), ...bad, chargeReceipt())).toEqual([]);
  });

  it('of another realm does not meet an authority of this one', () => {
    const receipt = TEST_LEDGER.sign(chargeClaims({ iss: 'test-ledger', realm: 'test' }));
    expect(refusedFor(request(), chargeReceipt({}, { receipt }))).toEqual(['authority_realm_mismatch']);
  });
});

describe('the authority', () => {
  const signed = (over: object): string => RISK.sign(authorityClaims(over));
  const without = (name: string): string => {
    const { [name]: _, ...rest } = authorityClaims() as Record<string, unknown>;
    return RISK.sign(rest);
  };

  it.each<[RefusalCode, unknown]>([
    ['authority_missing', null],
    ['authority_missing', ''],
    ['authority_reference_only', 'authority:risk:auth-1'],
    ['authority_reference_only', { ref: 'auth-1' }],
    ['authority_reference_only', ['auth-1']],
    ['authority_unsigned', LEDGER.sign(authorityClaims({ iss: 'ledger' }))],
    ['authority_unsigned', STRANGER.sign(authorityClaims({ iss: 'risk' }))],
    ['authority_incomplete', without('payer')],
    ['authority_incomplete', without('single_use')],
    ['authority_incomplete', signed({ type: 'charge.receipt' })],
    ['authority_incomplete', signed({ max_amount: '10.001' })],
    ['authority_reusable', signed({ single_use: false })],
    ['authority_expired', signed({ expires_at: '2026-09-01T12:00:00Z' })],
    ['authority_not_yet_valid', signed({ not_before: '2026-09-01T12:00:01Z' })],
    ['authority_operation_mismatch', signed({ operation: 'charge' })],
    ['authority_payer_mismatch', signed({ payer: 'cus_2' })],
    ['authority_currency_mismatch', signed({ currency: 'USD' })],
    ['authority_rail_mismatch', signed({ rail: 'paypal' })],
    ['authority_charge_mismatch', signed({ charge_ref: 'rcpt-9' })],
    ['authority_bound_exceeded', signed({ max_amount: '1999.99' })],
  ])('stops the plan: %s', (code, authority) => {
    expect(refusedFor({ ...request(), authority }, chargeReceipt())).toEqual([code]);
  });

  it('may name no pattern', () => {
    expect(refusedFor(request({}, { id: 'auth-*' }), chargeReceipt())).toEqual(['authority_wildcard']);
    expect(refusedFor(request({}, { payer: '*' }), chargeReceipt())).toEqual([
      'authority_wildcard',
      'authority_payer_mismatch',
    ]);
    expect(refusedFor(request({}, { max_amount: '*' }), chargeReceipt())).toEqual([
      'authority_incomplete',
      'authority_wildcard',
    ]);
  });

  it('is good once, and is not spent by a request that is refused', () => {
    const log = new HandoffLog();
    log.apply(chargeReceipt());
    expect(codesOf(log.ask(request({ amount: '5000.01' }, { max_amount: '9000' })))).toEqual(['amount_above_charge']);
    met.add('amount_above_charge');
    expect(codesOf(log.ask(request({ amount: '10' })))).toEqual([]);
    expect(codesOf(log.ask(request({ amount: '11' })))).toEqual(['authority_used']);
    met.add('authority_used');
  });

  it('belongs to the first payment that it is shown for', () => {
    const log = new HandoffLog();
    log.apply(chargeReceipt(), chargeReceipt({ payment_id: 'ch_2', receipt_ref: 'rcpt-b' }));
    expect(codesOf(log.ask(request()))).toEqual([]);
    const other = request({ payment_id: 'ch_2', charge_ref: 'rcpt-b' });
    expect(codesOf(log.ask(other))).toEqual(['authority_bound_elsewhere']);
    met.add('authority_bound_elsewhere');
  });
});

describe('the request', () => {
  it.each<[RefusalCode, object]>([
    ['caller_supplied_receipt', { original_receipt: { amount: '9999' } }],
    ['caller_supplied_receipt', { chargeReceipt: 'x' }],
    ['caller_supplied_total', { refunded_total: '0' }],
    ['caller_supplied_seal', { sealed: true }],
    ['caller_supplied_seal', { receipt_signature: 'x' }],
    ['caller_supplied_verified', { verified: true }],
    ['caller_supplied_verified', { 'Is-Verified': 'yes' }],
    ['caller_supplied_idempotency', { idempotency_seed: 's' }],
    ['caller_supplied_idempotency', { IdempotencyKey: 's' }],
    ['field_not_accepted', { colour: 'blue' }],
  ])('may not say: %s', (code, more) => {
    expect(refusedFor(request(more), chargeReceipt())).toEqual([code]);
  });

  it('may not say it at any depth either', () => {
    const deep = { metadata: [{ a: { verified: true } }, { seed: 1, refunded: '0' }] };
    expect(refusedFor(request(deep), chargeReceipt())).toEqual([
      'field_not_accepted',
      'caller_supplied_verified',
      'caller_supplied_idempotency',
      'caller_supplied_total',
    ]);
  });

  it.each<[RefusalCode, object]>([
    ['amount_malformed', { amount: 'ten' }],
    ['amount_malformed', { amount: '-1' }],
    ['amount_malformed', { amount: '1e3' }],
    ['amount_malformed', { amount: '10.001' }],
    ['amount_malformed', { amount: '9'.repeat(20) }],
    ['amount_not_positive', { amount: '0.00' }],
  ])('asks for an amount: %s', (code, more) => {
    expect(refusedFor(request(more), chargeReceipt())).toEqual([code]);
  });

  it('asks for a rail that there is', () => {
    expect(refusedFor(request({ rail: 'cash' }, { rail: 'cash' }), chargeReceipt({ rail: 'cash' }))).toEqual([
      'rail_unknown',
    ]);
    expect(refusedFor(request({ rail: 'paypal' }, { rail: 'paypal' }), chargeReceipt({ rail: 'paypal' }))).toEqual([
      'rail_mismatch',
    ]);
  });

  it('hears every reason at once', () => {
    const asked = request(
      { amount: '4500', counterparty: 'cus_9', verified: true },
      { max_amount: '100', expires_at: '2026-09-01T00:00:00Z' },
    );
    expect(refusedFor(asked, chargeReceipt(), stripeEvent('re_0', 100_000))).toEqual([
      'caller_supplied_verified',
      'authority_expired',
      'authority_payer_mismatch',
      'authority_bound_exceeded',
      'payer_mismatch',
      'amount_above_remaining',
    ]);
  });
});

describe('what was given back before', () => {
  it('must be measured in the currency of the charge', () => {
    const euros = stripeEvent('re_e', 100, 'succeeded', {
      body: JSON.stringify({
        id: 'evt_e',
        object: 'event',
        type: 'refund.updated',
        created: 1_788_256_800,
        data: {
          object: {
            id: 're_e',
            object: 'refund',
            amount: 100,
            charge: 'ch_1',
            currency: 'eur',
            status: 'succeeded',
            created: 1_788_256_800,
          },
        },
      }),
    });
    expect(refusedFor(request(), chargeReceipt(), euros)).toEqual(['prior_refund_unmeasured']);
    expect(refusedFor(request(), chargeReceipt(), refundReceipt({ currency: 'EUR' }))).toEqual([
      'prior_refund_unmeasured',
    ]);
  });

  it('counts every body of a refund receipt that has several, the larger for one refund', () => {
    const log = new HandoffLog();
    const twice = [
      refundReceipt(),
      refundReceipt({ amount: '1500' }),
      refundReceipt({ refund_id: 're_1', amount: '100' }),
    ];
    log.apply(chargeReceipt(), ...twice);
    expect(log.ask(request()).plan?.ceiling.remaining_before).toBe('3400.00');
  });

  it('counts nothing that is not proven', () => {
    const log = new HandoffLog();
    log.apply(chargeReceipt(), refundReceipt({}, { receipt: null }), refundReceipt({ provider_proof: [] }));
    expect(log.ask(request()).plan?.ceiling.remaining_before).toBe('5000.00');
  });

  it('holds a plan until it ends, and counts one that was begun once', () => {
    const log = new HandoffLog();
    log.apply(chargeReceipt());
    const first = log.ask(request());
    const left = (at: string, id: string): string | undefined =>
      log.ask(request({ amount: '1', requested_at: at }, { id })).plan?.ceiling.remaining_before;
    expect(left('2026-09-01T12:16:00Z', 'a')).toBe('3000.00');
    expect(left('2026-09-01T12:18:00Z', 'b')).toBe('4999.00');
    log.apply({ ...first.operation, created_at: '2026-09-01T12:01:00Z' });
    expect(left('2026-09-01T12:19:00Z', 'c')).toBe('2998.00');
    const begun = new HandoffLog();
    begun.apply(chargeReceipt());
    const plan = begun.ask(request());
    begun.apply({ ...plan.operation, created_at: '2026-09-01T12:01:00Z' });
    expect(
      begun.ask(request({ amount: '1', requested_at: '2026-09-01T12:02:00Z' }, { id: 'd' })).plan?.ceiling,
    ).toMatchObject({
      taken: [{ kind: 'operation', amount: '2000.00' }],
      remaining_before: '3000.00',
    });
  });

  it('stops where the provider itself took the money back', () => {
    const paypal = { provider: 'paypal', payment_id: 'CAP1', rail: 'paypal' };
    const resource = {
      id: 'REV1',
      status: 'COMPLETED',
      amount: { value: '10.00', currency_code: 'AUD' },
      links: [{ rel: 'up', href: 'https://api.paypal.com/v2/payments/captures/CAP1' }],
    };
    const reversed = {
      kind: 'webhook.received',
      provider: 'paypal',
      account: 'shop-1',
      endpoint: 'default',
      headers: {},
      body: JSON.stringify({
        id: 'WH-1',
        event_type: 'PAYMENT.CAPTURE.REVERSED',
        create_time: '2026-09-01T10:00:00Z',
        resource,
      }),
      received_at: '2026-09-01T10:00:01Z',
    };
    expect(refusedFor(request(paypal, { rail: 'paypal' }), chargeReceipt(paypal), reversed)).toEqual([
      'payment_reversed',
    ]);
  });

  it('tells of a dispute, and stops where more happened than is kept', () => {
    const dispute = stripeEvent('du_1', 1, 'x', {
      body: JSON.stringify({
        id: 'evt_d',
        object: 'event',
        type: 'charge.dispute.created',
        created: 1_788_256_800,
        data: { object: { id: 'du_1', object: 'dispute', charge: 'ch_1' } },
      }),
    });
    const log = new HandoffLog();
    log.apply(chargeReceipt(), dispute);
    expect(log.ask(request()).notes).toHaveLength(1);
    const many = Array.from({ length: 101 }, (_, index) => chargeReceipt({ receipt_ref: `r-${index}` }));
    expect(refusedFor(request(), chargeReceipt(), ...many)).toEqual(['state_limit']);
  });
});

describe('docs/reference/handoff.md', () => {
  it('lists every stop condition with its check', () => {
    const page = readFileSync(new URL('../../../docs/reference/handoff.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z_]+)` \| ([a-z]+) \| .{10,} \|$/gm)].map(([, code, check]) => [
      code,
      check,
    ]);
    expect(rows).toEqual(Object.entries(REFUSAL_CHECKS));
  });
});

afterAll(() => {
  // Each stop condition has been met above, and nothing else.
  expect([...met].sort()).toEqual(Object.keys(REFUSAL_CHECKS).sort());
});
