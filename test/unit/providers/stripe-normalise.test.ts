import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/evaluator/index.ts';
import { stripe } from '../../../src/providers/stripe/index.ts';
import { stripeBody, stripeEndpoint } from '../../support/deliveries.ts';

const event = (refund: Record<string, unknown> = {}, envelope: Record<string, unknown> = {}) =>
  stripe.event(JSON.parse(stripeBody(refund, envelope)) as JsonObject, {});

const refund: JsonObject = { id: 're_1', object: 'refund', charge: 'ch_1', created: 1788264001, status: 'pending' };

describe('a Stripe event', () => {
  it('prints unix seconds as whole seconds, and is as new as the event', () => {
    expect(event()).toEqual({
      outcome: 'event',
      eventId: 'evt_1',
      type: 'refund.updated',
      role: 'refund',
      paymentId: 'ch_1',
      occurredAt: '2026-09-01T12:00:03Z',
      facts: [
        {
          refundId: 're_1',
          paymentId: 'ch_1',
          amount: '1000',
          currency: 'usd',
          status: 'succeeded',
          state: 'complete',
          createdAt: '2026-09-01T12:00:01Z',
          updatedAt: '2026-09-01T12:00:03Z',
          version: null,
          echoes: ['op-1'],
        },
      ],
    });
  });

  it('echoes the operation id and the idempotency key of its metadata, and nothing else that a caller may write', () => {
    const metadata = { operation_id: 'op-1', idempotency_key: 'key-1', order: 'op-2', note: 'op-3' };
    expect(event({ metadata, reason: 'duplicate' })).toMatchObject({ facts: [{ echoes: ['op-1', 'key-1'] }] });
  });

  it.each([
    ['pending', 'pending'],
    ['requires_action', 'pending'],
    ['failed', 'dead'],
    ['canceled', 'dead'],
    ['novel', 'unknown'],
  ])('with status %s is %s', (status, state) => {
    expect(event({ status })).toMatchObject({ facts: [{ state }] });
  });

  it.each(['refund.created', 'refund.failed', 'charge.refund.updated'])('of type %s carries a refund', (type) => {
    expect(event({}, { type })).toMatchObject({ role: 'refund', type });
  });

  it('may carry the charge expanded', () => {
    expect(event({ charge: { id: 'ch_9' } })).toMatchObject({ paymentId: 'ch_9' });
  });

  it('charge.refunded holds a fact for each refund it lists, and none from its running total', () => {
    const charge = (refunds: unknown) => ({
      type: 'charge.refunded',
      data: { object: { id: 'ch_1', object: 'charge', amount_refunded: 3000, refunds } },
    });
    expect(event({}, charge({ data: [refund, { ...refund, id: 're_2' }] }))).toMatchObject({
      role: 'refund',
      paymentId: 'ch_1',
      facts: [{ refundId: 're_1' }, { refundId: 're_2' }],
    });
    expect(event({}, charge(undefined))).toMatchObject({ role: 'other', paymentId: 'ch_1', facts: [] });
  });

  it('of a dispute names the charge', () => {
    expect(event({}, { type: 'charge.dispute.created' })).toMatchObject({
      role: 'dispute',
      paymentId: 'ch_1',
      facts: [],
    });
  });

  it('about anything else is ignored', () => {
    expect(event({}, { type: 'charge.succeeded' }).outcome).toBe('ignored');
  });

  it.each([
    [{}, { type: null }, 'type'],
    [{}, { data: [] }, 'data.object'],
    [{ id: null }, {}, 'data.object.id'],
  ])('with %j %j is malformed, and the field is named', (given, envelope, field) => {
    const refused = event(given, envelope);
    expect(refused).toMatchObject({ outcome: 'refused', code: 'EVENT_MALFORMED' });
    expect('reason' in refused && refused.reason.startsWith(`${field}: was `)).toBe(true);
  });

  it('of another connected account is of another tenant', () => {
    const endpoint = { ...stripeEndpoint(), connectedAccount: 'acct_1' };
    expect(stripe.tenantMismatch({ account: 'acct_1' }, {}, endpoint)).toBeNull();
    expect(stripe.tenantMismatch({ account: 'acct_2' }, {}, endpoint)).toContain('acct_2');
    expect(stripe.tenantMismatch({}, {}, endpoint)).toContain('missing');
  });
});

describe('a Stripe answer', () => {
  it('prints created as an instant and charge as an id, so that contract paths read them', () => {
    const answer = stripe.answer({ ...refund, charge: { id: 'ch_1' } }, 'refund');
    expect(answer).toMatchObject({
      outcome: 'refund',
      body: { created: '2026-09-01T12:00:01Z', charge: 'ch_1' },
      facts: { updatedAt: null },
    });
  });

  it('that is a list with more behind it proves no absence', () => {
    expect(stripe.answer({ object: 'list', data: [refund], has_more: true }, 'payment')).toMatchObject({
      isPartial: true,
    });
    expect(stripe.answer({ object: 'list', data: [], has_more: false }, 'payment')).toMatchObject({
      isPartial: false,
      facts: [],
    });
    const charge = { object: 'charge', id: 'ch_1', refunds: { data: [refund, 7], has_more: true } };
    expect(stripe.answer(charge, 'payment')).toMatchObject({ isPartial: true, facts: [{ refundId: 're_1' }] });
  });

  it('of another kind is malformed', () => {
    for (const body of [{ object: 'charge', id: 'ch_1' }, { object: 'price', id: 'p' }, { object: 'refund' }]) {
      expect(stripe.answer(body, 'refund')).toMatchObject({ code: 'READBACK_MALFORMED' });
    }
  });
});

describe('a Stripe action', () => {
  it('is the refund, or an error with a short code', () => {
    expect(stripe.action(refund)).toMatchObject({ outcome: 'result', facts: { refundId: 're_1', state: 'pending' } });
    const error = { error: { code: 'charge_already_refunded', type: 'invalid_request_error' } };
    expect(stripe.action(error)).toEqual({ outcome: 'error', kind: 'unknown', code: 'charge_already_refunded' });
    expect(stripe.errorCode({ error: { type: 'api_error' } })).toBe('api_error');
  });
});
