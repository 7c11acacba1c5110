import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/evaluator/index.ts';
import { paypal } from '../../../src/providers/paypal/index.ts';
import { paypalBody } from '../../support/paypal-deliveries.ts';

const event = (resource: Record<string, unknown> = {}, envelope: Record<string, unknown> = {}) =>
  paypal.event(JSON.parse(paypalBody(resource, envelope)) as JsonObject, {});

const CAPTURE = '3C679366HH908993R';

describe('a PayPal event', () => {
  it('of a refund names the capture by its up link, and prints what PayPal printed', () => {
    expect(event()).toEqual({
      outcome: 'event',
      eventId: 'WH-1',
      type: 'PAYMENT.CAPTURE.REFUNDED',
      role: 'refund',
      paymentId: CAPTURE,
      occurredAt: '2026-09-01T12:00:04.120Z',
      facts: [
        {
          refundId: '1JU08902781691411',
          paymentId: CAPTURE,
          amount: '10.00',
          currency: 'USD',
          status: 'COMPLETED',
          state: 'complete',
          createdAt: '2026-09-01T05:00:01-07:00',
          updatedAt: '2026-09-01T05:00:03-07:00',
          version: null,
          echoes: ['op-1'],
        },
      ],
    });
  });

  it.each([
    ['COMPLETED', 'complete'],
    ['PENDING', 'pending'],
    ['SOMETHING_NEW', 'unknown'],
  ])('with status %s is %s', (status, state) => {
    expect(event({ status })).toMatchObject({ facts: [{ status, state }] });
  });

  it.each(['FAILED', 'CANCELLED'])('that a refund failed with status %s is dead', (status) => {
    expect(event({ status }, { event_type: 'PAYMENT.REFUND.FAILED' })).toMatchObject({
      facts: [{ status, state: 'dead' }],
    });
  });

  it.each([
    ['PAYMENT.REFUND.FAILED', 'COMPLETED'],
    ['PAYMENT.REFUND.FAILED', 'PENDING'],
    ['PAYMENT.REFUND.PENDING', 'COMPLETED'],
    ['PAYMENT.REFUND.PENDING', 'FAILED'],
    ['PAYMENT.CAPTURE.REFUNDED', 'FAILED'],
    ['PAYMENT.CAPTURE.REFUNDED', 'CANCELLED'],
    ['PAYMENT.SALE.REFUNDED', 'FAILED'],
  ])('of type %s whose resource says %s settles nothing', (event_type, status) => {
    expect(event({ status }, { event_type })).toMatchObject({ role: 'refund', facts: [{ status, state: 'unknown' }] });
  });

  it("echoes the caller's own ids, and no note to the payer", () => {
    const echoing = event({ custom_id: 'c-1', invoice_id: 'i-1', note_to_payer: 'op-9' });
    expect(echoing).toMatchObject({ facts: [{ echoes: ['c-1', 'i-1'] }] });
  });

  it('that says FAILED in its type alone still says it', () => {
    const failed = event({ status: undefined }, { event_type: 'PAYMENT.REFUND.FAILED' });
    expect(failed).toMatchObject({ role: 'refund', facts: [{ status: 'FAILED', state: 'dead' }] });
    const pending = event({ status: undefined }, { event_type: 'PAYMENT.REFUND.PENDING' });
    expect(pending).toMatchObject({ role: 'refund', facts: [{ status: 'PENDING', state: 'pending' }] });
  });

  it('of a reversal is none of the merchant’s refunds, though its resource looks like one', () => {
    expect(event({}, { event_type: 'PAYMENT.CAPTURE.REVERSED' })).toMatchObject({
      role: 'reversal',
      paymentId: CAPTURE,
    });
  });

  it('of a reversal may carry the capture itself', () => {
    const links = [
      { rel: 'self', href: `https://api.paypal.com/v2/payments/captures/${CAPTURE}` },
      { rel: 'up', href: 'https://api.paypal.com/v2/checkout/orders/1AB234567A1234567' },
    ];
    const reversed = event(
      { id: CAPTURE, links },
      { event_type: 'PAYMENT.CAPTURE.REVERSED', resource_type: 'capture' },
    );
    expect(reversed).toMatchObject({ role: 'reversal', paymentId: CAPTURE, facts: [] });
  });

  it('of a dispute names the capture that is disputed', () => {
    const resource = { disputed_transactions: [{ buyer_transaction_id: 'x' }, { seller_transaction_id: CAPTURE }] };
    const dispute = event(resource, { event_type: 'CUSTOMER.DISPUTE.CREATED' });
    expect(dispute).toMatchObject({ role: 'dispute', paymentId: CAPTURE, facts: [] });
  });

  it('of version 1 names the sale, prints a negative total and a state', () => {
    const resource = {
      id: 'R1',
      sale_id: 'S1',
      links: [{ rel: 'up', href: 'https://api.paypal.com/v1/payments/sale/S1' }],
      amount: { total: '-0.01', currency: 'USD' },
      status: undefined,
      state: 'completed',
    };
    expect(event(resource, { event_type: 'PAYMENT.SALE.REFUNDED' })).toMatchObject({
      role: 'refund',
      paymentId: 'S1',
      facts: [
        { refundId: 'R1', paymentId: 'S1', amount: '0.01', currency: 'USD', status: 'completed', state: 'complete' },
      ],
    });
  });

  it.each([
    'https://api.paypal.com/v2/checkout/orders/1AB234567A1234567',
    'https://api.paypal.com/v2/payments/captures/',
    'https://api.paypal.com/v2/payments/captures/X/refund',
  ])('whose up link is %s names no capture', (href) => {
    expect(event({ links: [{ rel: 'up', href }] })).toMatchObject({ paymentId: null });
  });

  it('about anything else is ignored', () => {
    expect(event({}, { event_type: 'PAYMENT.CAPTURE.COMPLETED' }).outcome).toBe('ignored');
  });

  it.each([
    [{}, { event_type: undefined }, 'event_type'],
    [{}, { resource: 'x' }, 'resource'],
    [{ id: 7 }, {}, 'resource.id'],
    [{ id: 'x'.repeat(256) }, {}, 'resource.id'],
  ])('with %j %j is malformed, and the field is named', (resource, envelope, field) => {
    const refused = event(resource, envelope);
    expect(refused).toMatchObject({ outcome: 'refused', code: 'EVENT_MALFORMED' });
    expect('reason' in refused && refused.reason.startsWith(`${field}: was `)).toBe(true);
  });
});

describe('a PayPal answer', () => {
  const refund = (JSON.parse(paypalBody()) as { resource: JsonObject }).resource;

  it('to a read of a refund is the refund', () => {
    expect(paypal.answer(refund, 'refund')).toMatchObject({
      outcome: 'refund',
      body: refund,
      facts: { paymentId: CAPTURE },
    });
  });

  it('that is an order lists the refunds of its purchase units', () => {
    const order = { id: 'O1', purchase_units: [{ payments: { refunds: [refund, { id: 'R2' }, 'x'] } }, {}] };
    const answer = paypal.answer(order, 'payment');
    expect(answer).toMatchObject({ outcome: 'list', isPartial: false });
    expect('facts' in answer && [answer.facts].flat().map((facts) => facts.refundId)).toEqual([
      '1JU08902781691411',
      'R2',
    ]);
  });

  it('without a refund id, or without a list where one was asked for, is malformed', () => {
    expect(paypal.answer({ status: 'COMPLETED' }, 'refund')).toMatchObject({ code: 'READBACK_MALFORMED' });
    expect(paypal.answer(refund, 'payment')).toMatchObject({ code: 'READBACK_MALFORMED' });
  });
});

describe('a PayPal action', () => {
  it('with the minimal representation leaves the amount open', () => {
    const answer = paypal.action({ id: 'R1', status: 'PENDING', links: [] });
    expect(answer).toMatchObject({ outcome: 'result', facts: { refundId: 'R1', amount: null, state: 'pending' } });
  });

  it('tells a short error code', () => {
    const body = { name: 'UNPROCESSABLE_ENTITY', details: [{ issue: 'CAPTURE_FULLY_REFUNDED' }] };
    expect(paypal.errorCode(body)).toBe('CAPTURE_FULLY_REFUNDED');
    expect(paypal.errorCode({ name: 'RATE_LIMIT_REACHED' })).toBe('RATE_LIMIT_REACHED');
    expect(paypal.errorCode('oops')).toBeNull();
    expect(paypal.action(body)).toEqual({ outcome: 'error', kind: 'unknown', code: 'CAPTURE_FULLY_REFUNDED' });
  });
});
