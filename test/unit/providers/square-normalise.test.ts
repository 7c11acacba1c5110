import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/evaluator/index.ts';
import { square } from '../../../src/providers/square/index.ts';
import { parseJsonText } from '../../../src/records/json-text.ts';
import { squareBody, squareEndpoint } from '../../support/deliveries.ts';

const event = (refund: Record<string, unknown> = {}, envelope: Record<string, unknown> = {}) =>
  square.event(JSON.parse(squareBody(refund, envelope)) as JsonObject, {});

const REFUND: JsonObject = { id: 'pay1_r1', payment_id: 'pay1', status: 'PENDING' };

describe('a Square event', () => {
  it('carries the refund with its version, in minor units', () => {
    expect(event()).toEqual({
      outcome: 'event',
      eventId: 'e-1',
      type: 'refund.updated',
      role: 'refund',
      paymentId: 'pay1',
      occurredAt: '2026-09-01T12:00:03.1Z',
      facts: [
        {
          refundId: 'pay1_r1',
          paymentId: 'pay1',
          amount: '1000',
          currency: 'USD',
          status: 'COMPLETED',
          state: 'complete',
          createdAt: '2026-09-01T12:00:01.5Z',
          updatedAt: '2026-09-01T12:00:03.0Z',
          version: 10,
          echoes: ['op-1'],
        },
      ],
    });
  });

  it.each([
    ['PENDING', 'pending'],
    ['REJECTED', 'dead'],
    ['FAILED', 'dead'],
    ['APPROVED', 'unknown'],
  ])('with status %s is %s', (status, state) => {
    expect(event({ status })).toMatchObject({ facts: [{ state }] });
  });

  it('keeps every digit of an int64 amount', () => {
    const body = squareBody().replace('1000', '9007199254740993');
    expect(square.event(parseJsonText(body) as JsonObject, {})).toMatchObject({
      facts: [{ amount: '9007199254740993' }],
    });
  });

  it('of a dispute names the payment, in either form', () => {
    const dispute = (object: object) => event({}, { type: 'dispute.created', data: { object: { dispute: object } } });
    expect(dispute({ disputed_payment: { payment_id: 'pay1' } })).toMatchObject({ role: 'dispute', paymentId: 'pay1' });
    expect(dispute({ disputed_payments: [{ payment_id: 'pay1' }] })).toMatchObject({
      role: 'dispute',
      paymentId: 'pay1',
    });
  });

  it('of an unlinked refund, or about anything else, is ignored', () => {
    expect(event({ payment_id: undefined, unlinked: true }).outcome).toBe('ignored');
    expect(event({}, { type: 'payment.updated' }).outcome).toBe('ignored');
  });

  it.each([
    [{}, { type: 7 }, 'type'],
    [{}, { data: {} }, 'data.object.refund'],
    [{ id: '' }, {}, 'data.object.refund.id'],
    [{}, { type: 'dispute.created' }, 'data.object.dispute'],
  ])('with %j %j is malformed, and the field is named', (refund, envelope, field) => {
    const refused = event(refund, envelope);
    expect(refused).toMatchObject({ outcome: 'refused', code: 'EVENT_MALFORMED' });
    expect('reason' in refused && refused.reason.startsWith(`${field}: was `)).toBe(true);
  });

  it('of another merchant is of another tenant', () => {
    const endpoint = { ...squareEndpoint(), merchantId: 'M1' };
    expect(square.tenantMismatch({ merchant_id: 'M1' }, {}, endpoint)).toBeNull();
    expect(square.tenantMismatch({ merchant_id: 'M2' }, {}, endpoint)).toContain('"M2"');
    expect(square.tenantMismatch({}, {}, endpoint)).toContain('missing');
    expect(square.tenantMismatch({}, {}, squareEndpoint())).toBeNull();
  });
});

describe('a Square answer', () => {
  it('is a refund, or a payment that names its refunds by id alone', () => {
    expect(square.answer({ refund: REFUND }, 'refund')).toMatchObject({
      outcome: 'refund',
      facts: { state: 'pending' },
    });
    const payment = square.answer({ payment: { id: 'pay1', refund_ids: ['pay1_r1', 'pay1_r2', 7] } }, 'payment');
    expect(payment).toMatchObject({
      outcome: 'list',
      isPartial: false,
      facts: [
        { refundId: 'pay1_r1', status: null, state: 'unknown' },
        { refundId: 'pay1_r2', paymentId: 'pay1' },
      ],
    });
  });

  it('with a cursor proves no absence', () => {
    expect(square.answer({ refunds: [REFUND], cursor: 'c' }, 'payment')).toMatchObject({ isPartial: true });
    expect(square.answer({ refunds: [REFUND, 'x', {}] }, 'payment')).toMatchObject({ isPartial: false, facts: [{}] });
  });

  it('that holds an error says so', () => {
    const error = (code: string) => square.answer({ errors: [{ code }] }, 'refund');
    expect(error('NOT_FOUND')).toEqual({ outcome: 'absent' });
    expect(error('RATE_LIMITED')).toEqual({ outcome: 'error', kind: 'rate_limited' });
    expect(error('UNAUTHORIZED')).toEqual({ outcome: 'error', kind: 'auth' });
    expect(error('__proto__')).toEqual({ outcome: 'error', kind: 'server' });
  });

  it('that holds none of these is malformed', () => {
    expect(square.answer({}, 'refund')).toMatchObject({ code: 'READBACK_MALFORMED' });
    expect(square.answer({ refund: {} }, 'refund')).toMatchObject({ code: 'READBACK_MALFORMED' });
  });
});

describe('a Square action', () => {
  it('is a refund, or an error with a short code', () => {
    expect(square.action({ refund: REFUND })).toMatchObject({ outcome: 'result', facts: { refundId: 'pay1_r1' } });
    expect(square.action({ errors: [{ code: 'REFUND_DECLINED' }] })).toMatchObject({
      outcome: 'error',
      code: 'REFUND_DECLINED',
    });
    expect(square.action({})).toEqual({ outcome: 'result', result: {}, facts: null });
  });
});
