import { describe, expect, it } from 'vitest';
import { createAdmission } from '../../../src/consumers/admit.ts';
import type { JsonObject } from '../../../src/evaluator/index.ts';
import type { Endpoint } from '../../../src/providers/index.ts';
import { parseInputRecord } from '../../../src/records/parse.ts';
import type { InputRecord } from '../../../src/records/records.ts';
import { shipped } from '../../support/contracts.ts';
import {
  secret,
  shopifyEndpoint,
  shopifyHeaders,
  squareBody,
  squareEndpoint,
  squareHeaders,
  stripeBody,
  stripeEndpoint,
  stripeHeaders,
} from '../../support/deliveries.ts';
import { paypalBody } from '../../support/paypal-deliveries.ts';

const context = { source: { topic: 't', partition: 0, offset: '7' }, timestamp: null };

const record = (value: object): InputRecord => {
  const parsed = parseInputRecord(JSON.parse(JSON.stringify(value)) as JsonObject);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.record;
};

const admission = (endpoints: readonly Endpoint[] = [], trustGateway = false) =>
  createAdmission({ contracts: shipped, endpoints, trustGateway, testMode: false });

const trusting = admission([], true);

const started = (given: object = {}) => ({
  kind: 'operation.started',
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  contract: { id: 'paypal.refund.completed' },
  created_at: '2026-09-01T12:00:00.350Z',
  input: { capture_id: '3C679366HH908993R', amount: '10.00', currency_code: 'USD' },
  ...given,
});

const webhook = (given: object) => ({
  kind: 'webhook.received',
  provider: 'square',
  account: 'merchant-1',
  endpoint: 'default',
  headers: {},
  received_at: '2026-09-01T12:00:04.350Z',
  ...given,
});

const readback = (given: object) => ({
  kind: 'readback.result',
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  payment_id: '3C679366HH908993R',
  channel: 'refund_readback',
  observed_at: '2026-09-01T12:00:06Z',
  outcome: 'ok',
  ...given,
});

const only = (value: object, by = trusting) => {
  const answer = by.admit(record(value), context);
  if (answer.outcome !== 'admitted') throw new Error(JSON.stringify(answer));
  expect(answer.observations).toHaveLength(1);
  const [observation] = answer.observations;
  if (observation === undefined) throw new Error('no observation');
  return observation;
};

describe('a start', () => {
  it('that names no version gets the newest in effect', () => {
    const answer = trusting.admit(record(started()), context);
    expect(answer).toMatchObject({
      outcome: 'admitted',
      ref: { provider: 'paypal', account: 'merchant-1', paymentId: '3C679366HH908993R' },
      observations: [
        {
          kind: 'started',
          contract: { id: 'paypal.refund.completed', version: '1.1.0' },
          idempotencyKey: 'op-1',
          refused: null,
          at: Date.parse('2026-09-01T12:00:00.350Z'),
          source: context.source,
        },
      ],
    });
    expect(answer).not.toHaveProperty('deadLetter');
  });

  it('that already holds its action gives an observation of that too', () => {
    const action = { result: { id: 'R1', status: 'PENDING', links: [] }, completed_at: '2026-09-01T12:00:01.550Z' };
    expect(trusting.admit(record(started({ action })), context)).toMatchObject({
      observations: [
        { kind: 'started' },
        { kind: 'acted', result: { id: 'R1' }, facts: { refundId: 'R1', state: 'pending' } },
      ],
    });
  });

  it('of an unknown contract or version is dead-lettered, and admitted as refused so that it gets its verdict', () => {
    for (const contract of [{ id: 'paypal.refund.dreamt' }, { id: 'paypal.refund.completed', version: '9.9.9' }]) {
      expect(trusting.admit(record(started({ contract })), context)).toMatchObject({
        outcome: 'admitted',
        ref: { paymentId: '3C679366HH908993R' },
        observations: [{ contract: { version: null }, refused: { code: 'contract_unknown' } }],
        deadLetter: { code: 'CONTRACT_UNKNOWN', reason: expect.stringContaining('paypal.refund.completed@1.1.0') },
      });
    }
  });

  it("of another provider's contract is of an unknown contract", () => {
    const answer = trusting.admit(record(started({ contract: { id: 'square.refund.completed' } })), context);
    expect(answer).toMatchObject({ observations: [{ refused: { code: 'contract_unknown' } }] });
  });

  it('whose input is not in the form of the contract is refused with the form it should have', () => {
    const input = { capture_id: '3C679366HH908993R', amount: '10.0', currency_code: 'USD' };
    expect(trusting.admit(record(started({ input })), context)).toMatchObject({
      outcome: 'admitted',
      observations: [
        { refused: { code: 'input_invalid', detail: expect.stringContaining('input.amount: was "10.0"') } },
      ],
      deadLetter: { code: 'INPUT_INVALID' },
    });
  });

  it('that names no payment takes it from its key', () => {
    const value = record(started({ input: { amount: '10.00' } }));
    const keyed = { ...context, key: 'paypal:merchant-1:CAP:1' };
    expect(trusting.admit(value, keyed)).toMatchObject({ outcome: 'admitted', ref: { paymentId: 'CAP:1' } });
    expect(trusting.admit(value, { ...context, key: 'paypal:other:CAP' })).toMatchObject({
      outcome: 'refused',
      code: 'INPUT_INVALID',
    });
    expect(trusting.admit(value, context)).toMatchObject({ outcome: 'refused', code: 'INPUT_INVALID' });
  });

  it('from more than five minutes after its own record is refused', () => {
    const logged = (seconds: number) => ({
      ...context,
      timestamp: Date.parse('2026-09-01T12:00:00.350Z') - seconds * 1000,
    });
    expect(trusting.admit(record(started()), logged(300)).outcome).toBe('admitted');
    expect(trusting.admit(record(started()), logged(301))).toMatchObject({
      outcome: 'refused',
      code: 'CREATED_AT_IN_FUTURE',
    });
  });

  it('that is to be observed from more than five minutes after its own record is refused', () => {
    const from = (observe_from: string) => record(started({ observe_from }));
    const logged = { ...context, timestamp: Date.parse('2026-09-01T12:00:00Z') };
    expect(trusting.admit(from('2026-09-01T12:05:00Z'), logged).outcome).toBe('admitted');
    expect(trusting.admit(from('2026-09-01T12:05:01Z'), logged)).toMatchObject({
      outcome: 'refused',
      code: 'CREATED_AT_IN_FUTURE',
      reason: expect.stringContaining('observe_from: was 2026-09-01T12:05:01Z, 301 s after the record itself'),
    });
  });

  it('that is to be observed from more than 400 days after created_at is refused where the log tells no time', () => {
    const from = (observe_from: string) => record(started({ created_at: '2026-09-01T12:00:00Z', observe_from }));
    expect(trusting.admit(from('2027-10-06T12:00:00Z'), context).outcome).toBe('admitted');
    expect(trusting.admit(from('2027-10-06T12:00:01Z'), context)).toMatchObject({
      outcome: 'refused',
      code: 'CREATED_AT_IN_FUTURE',
      reason: expect.stringContaining(
        'observe_from: was 2027-10-06T12:00:01Z, should be at most 400 days after created_at',
      ),
    });
  });

  it('has an identity of its contract as named, input, key and handoff, whatever the order of their fields', () => {
    const identity = (given: object) => {
      const observation = only(started(given));
      return observation.kind === 'started' ? observation.identity : null;
    };
    const first = identity({});
    expect(identity({ input: { currency_code: 'USD', amount: '10.00', capture_id: '3C679366HH908993R' } })).toBe(first);
    expect(identity({ created_at: '2026-09-01T12:00:09Z', idempotency_key: 'op-1' })).toBe(first);
    const others = [
      { contract: { id: 'paypal.refund.completed', version: '1.1.0' } },
      { idempotency_key: 'op-2' },
      { handoff: 'abc' },
      { input: { capture_id: '3C679366HH908993R', amount: '10.01', currency_code: 'USD' } },
    ];
    expect(new Set([first, ...others.map(identity)]).size).toBe(5);
  });
});

describe('an action', () => {
  const acted = (action: object, given: object = {}) =>
    only({
      kind: 'operation.acted',
      operation_id: 'op-1',
      provider: 'paypal',
      account: 'merchant-1',
      payment_id: '3C679366HH908993R',
      action: { completed_at: '2026-09-01T12:00:01.550Z', ...action },
      ...given,
    });

  it('keeps of its result what contracts read', () => {
    expect(acted({ result: { id: 'R1', status: 'COMPLETED', payer: { name: 'x' } } })).toMatchObject({
      kind: 'acted',
      completedAt: '2026-09-01T12:00:01.550Z',
      result: { id: 'R1' },
      error: null,
    });
    expect(JSON.stringify(acted({ result: { id: 'R1', payer: { name: 'Doe' } } }))).not.toContain('Doe');
  });

  it('that failed keeps a short code of its error body', () => {
    const error = { kind: 'declined', http_status: 422, body: { details: [{ issue: 'CAPTURE_FULLY_REFUNDED' }] } };
    expect(acted({ error })).toMatchObject({
      result: null,
      facts: null,
      error: { kind: 'declined', httpStatus: 422, code: 'CAPTURE_FULLY_REFUNDED' },
    });
    expect(acted({ error: { kind: 'timeout' } })).toMatchObject({
      error: { kind: 'timeout', httpStatus: null, code: null },
    });
  });

  it('of Shopify with user errors and no refund was declined', () => {
    const result = { data: { refundCreate: { refund: null, userErrors: [{ message: 'no' }] } } };
    expect(acted({ result }, { provider: 'shopify' })).toMatchObject({
      result: null,
      error: { kind: 'declined', code: 'no' },
    });
  });

  it('is the same by its content, and another at another time', () => {
    const digest = (action: object) => {
      const observation = acted(action);
      return observation.kind === 'acted' ? observation.sha256 : null;
    };
    expect(digest({ result: { id: 'R1', a: 1 } })).toBe(digest({ result: { a: 1, id: 'R1' } }));
    expect(digest({ result: { id: 'R1' } })).not.toBe(digest({ result: { id: 'R2' } }));
    expect(digest({ error: { kind: 'timeout' } })).not.toBe(digest({ error: { kind: 'network' } }));
    expect(digest({ error: { kind: 'timeout' }, completed_at: '2026-09-01T12:00:02Z' })).not.toBe(
      digest({ error: { kind: 'timeout' } }),
    );
  });
});

describe('a webhook', () => {
  const body = squareBody();
  const bySquare = admission([squareEndpoint()]);

  it('is admitted to the payment that its body names, with the digest of its bytes', () => {
    const text = only(webhook({ body, headers: squareHeaders(body) }), bySquare);
    expect(text).toMatchObject({
      kind: 'event',
      eventId: 'e-1',
      type: 'refund.updated',
      role: 'refund',
      facts: { refundId: 'pay1_r1', state: 'complete' },
      at: Date.parse('2026-09-01T12:00:04.350Z'),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const bytes = { body_base64: Buffer.from(body).toString('base64'), headers: squareHeaders(body) };
    expect(only(webhook(bytes), bySquare)).toEqual(text);
  });

  it.each([
    ['stripe', stripeEndpoint(), stripeBody(), stripeHeaders(stripeBody()), 'ch_1'],
    [
      'shopify',
      shopifyEndpoint(),
      '{"admin_graphql_api_id":"gid://shopify/Refund/1","order_id":820982911946154508,"transactions":[]}',
      shopifyHeaders(
        '{"admin_graphql_api_id":"gid://shopify/Refund/1","order_id":820982911946154508,"transactions":[]}',
      ),
      'gid://shopify/Order/820982911946154508',
    ],
  ])('of %s goes the same way', (provider, endpoint, text, headers, paymentId) => {
    const answer = admission([endpoint]).admit(record(webhook({ provider, body: text, headers })), context);
    expect(answer).toMatchObject({ outcome: 'admitted', ref: { provider, paymentId } });
  });

  it('that is forged, or of an endpoint nobody configured, is refused', () => {
    const forged = record(webhook({ body, headers: squareHeaders(`${body} `) }));
    expect(bySquare.admit(forged, context)).toMatchObject({ outcome: 'refused', code: 'SIGNATURE_INVALID' });
    const unknown = record(webhook({ body, headers: squareHeaders(body), endpoint: 'other' }));
    expect(bySquare.admit(unknown, context)).toMatchObject({ outcome: 'refused', code: 'ENDPOINT_UNKNOWN' });
    const elsewhere = record(webhook({ body, headers: squareHeaders(body), account: 'merchant-2' }));
    expect(bySquare.admit(elsewhere, context)).toMatchObject({ outcome: 'refused', code: 'ENDPOINT_UNKNOWN' });
  });

  it('is judged by the secrets in force at received_at, not now', () => {
    const past = admission([squareEndpoint([secret('square-key', '2026-08-01T00:00:00Z', '2026-10-01T00:00:00Z')])]);
    const value = (received_at: string) => record(webhook({ body, headers: squareHeaders(body), received_at }));
    expect(past.admit(value('2026-09-01T12:00:04Z'), context).outcome).toBe('admitted');
    expect(past.admit(value('2026-11-01T12:00:04Z'), context)).toMatchObject({ code: 'SIGNATURE_UNVERIFIABLE' });
  });

  it('from a trusted gateway needs no signature, but is of the right tenant all the same', () => {
    expect(only(webhook({ body })).kind).toBe('event');
    const strict = admission([{ ...squareEndpoint(), merchantId: 'M2' }], true);
    expect(strict.admit(record(webhook({ body })), context)).toMatchObject({
      outcome: 'refused',
      code: 'ACCOUNT_MISMATCH',
    });
  });

  it('at an endpoint of many accounts must name the record’s account', () => {
    const shared = { ...squareEndpoint(), account: null, accountField: 'merchant_id' };
    const by = admission([shared]);
    const value = (account: string) => record(webhook({ body, account, headers: squareHeaders(body) }));
    expect(by.admit(value('M1'), context).outcome).toBe('admitted');
    expect(by.admit(value('M2'), context)).toMatchObject({ outcome: 'refused', code: 'ACCOUNT_MISMATCH' });
  });

  it('about other things is ignored, after its signature was checked', () => {
    const other = squareBody({}, { type: 'payment.updated' });
    expect(bySquare.admit(record(webhook({ body: other, headers: squareHeaders(other) })), context).outcome).toBe(
      'ignored',
    );
    expect(bySquare.admit(record(webhook({ body: other })), context)).toMatchObject({ code: 'SIGNATURE_UNVERIFIABLE' });
  });

  it('of a refund that names no payment cannot be routed', () => {
    const value = record(webhook({ body: squareBody({ payment_id: null }) }));
    expect(trusting.admit(value, context)).toMatchObject({ outcome: 'refused', code: 'EVENT_UNROUTABLE' });
  });

  it.each([
    ['not JSON', { body: '{' }],
    ['no object', { body: '[]' }],
    ['nested without end', { body: '['.repeat(100_000) }],
    ['not UTF-8', { body_base64: Buffer.from([0x7b, 0xff, 0x7d]).toString('base64') }],
    ['huge', { body: `{"a":"${'x'.repeat(5_000_000)}"}` }],
    ['empty', { body: '' }],
  ])('whose body is %s is malformed', (_name, given) => {
    const answer = trusting.admit(record(webhook(given)), context);
    expect(answer).toMatchObject({
      outcome: 'refused',
      code: 'EVENT_MALFORMED',
      reason: expect.stringMatching(/^body: /),
    });
  });

  const dedupeKey = (given: object) => {
    const observation = only(webhook(given));
    return observation.kind === 'event' ? observation.dedupeKey : null;
  };

  it('has one dedupe key whatever its transmission, another for another type, refund or status', () => {
    const keys = [
      dedupeKey({ body }),
      dedupeKey({ body, received_at: '2026-09-02T00:00:00Z', headers: { a: 'b' } }),
      dedupeKey({ body: squareBody({}, { type: 'refund.created' }) }),
      dedupeKey({ body: squareBody({ id: 'pay1_r2' }) }),
      dedupeKey({ body: squareBody({ status: 'PENDING' }) }),
      dedupeKey({ body, account: 'merchant-2' }),
      dedupeKey({ body: squareBody({}, { event_id: 'e-2' }) }),
    ];
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(6);
  });

  it('without an event id is told apart by its body', () => {
    const blank = (updated: string) =>
      dedupeKey({ body: squareBody({ updated_at: updated }, { event_id: ' '.trim() }) });
    expect(blank('2026-09-01T12:00:03Z')).toBe(blank('2026-09-01T12:00:03Z'));
    expect(blank('2026-09-01T12:00:03Z')).not.toBe(blank('2026-09-01T12:00:04Z'));
  });

  it('of a Stripe charge gives one observation a refund', () => {
    const object = { id: 'ch_1', object: 'charge', refunds: { data: [{ id: 're_1' }, { id: 're_2' }] } };
    const value = record(
      webhook({ provider: 'stripe', body: stripeBody({}, { type: 'charge.refunded', data: { object } }) }),
    );
    const answer = trusting.admit(value, context);
    expect(answer).toMatchObject({ observations: [{ facts: { refundId: 're_1' } }, { facts: { refundId: 're_2' } }] });
  });

  it('of a PayPal reversal is a finding of its capture', () => {
    const value = webhook({ provider: 'paypal', body: paypalBody({}, { event_type: 'PAYMENT.CAPTURE.REVERSED' }) });
    expect(only(value)).toMatchObject({ role: 'reversal' });
  });
});

describe('a readback', () => {
  const refund = (JSON.parse(paypalBody()) as { resource: object }).resource;

  it('keeps of the answer what contracts read, and its digest', () => {
    const seen = only(readback({ body: JSON.stringify({ ...refund, payer: { email_address: 'p@example.com' } }) }));
    expect(seen).toMatchObject({
      kind: 'read',
      outcome: 'ok',
      purpose: 'poll',
      resourceId: null,
      attempt: null,
      isList: false,
      body: { id: '1JU08902781691411', status: 'COMPLETED', amount: { value: '10.00' } },
      facts: [{ refundId: '1JU08902781691411' }],
    });
    expect(JSON.stringify(seen)).not.toContain('p@example.com');
  });

  it('that found nothing or failed says so', () => {
    expect(only(readback({ outcome: 'absent', http_status: 404 }))).toMatchObject({
      outcome: 'absent',
      body: null,
      facts: [],
    });
    const error = { kind: 'rate_limited', retry_after_ms: 1500 };
    expect(only(readback({ outcome: 'error', error }))).toMatchObject({
      outcome: 'error',
      error: { kind: 'rate_limited', retryAfterMs: 1500 },
    });
  });

  it('with a null node found nothing', () => {
    const body = '{"data":{"refund":null}}';
    expect(only(readback({ provider: 'shopify', body }))).toMatchObject({ outcome: 'absent', body: null });
  });

  it('with an error inside an ok answer failed', () => {
    const body = '{"errors":[{"extensions":{"code":"THROTTLED"}}]}';
    expect(only(readback({ provider: 'shopify', body }))).toMatchObject({
      outcome: 'error',
      error: { kind: 'rate_limited' },
    });
  });

  it.each(['{', '[]', '{"status":"COMPLETED"}', ''])('whose body is %s is malformed', (body) => {
    const answer = trusting.admit(record(readback({ body })), context);
    expect(answer).toMatchObject({ outcome: 'refused', code: 'READBACK_MALFORMED' });
  });

  it('of a list leaves out what names another payment, and says where a page has more behind it', () => {
    const refunds = [{ id: 'a', payment_id: 'pay1' }, { id: 'b', payment_id: 'pay2' }, { id: 'c' }];
    const given = { provider: 'square', payment_id: 'pay1', channel: 'payment_readback' };
    const seen = only(readback({ ...given, body: JSON.stringify({ refunds, cursor: 'more' }) }));
    expect(seen).toMatchObject({ isList: true, isPartial: true, facts: [{ refundId: 'a' }, { refundId: 'c' }] });
  });

  it('on a channel that no contract has is told by its purpose', () => {
    const list = readback({ channel: 'dreamt', purpose: 'list', body: JSON.stringify(refund) });
    expect(trusting.admit(record(list), context)).toMatchObject({ code: 'READBACK_MALFORMED' });
    expect(only(readback({ channel: 'dreamt', body: JSON.stringify(refund) }))).toMatchObject({
      isList: false,
      body: {},
    });
  });
});

describe('a review', () => {
  it('is admitted as decided', () => {
    const value = {
      kind: 'review.decided',
      operation_id: 'op-1',
      provider: 'paypal',
      account: 'merchant-1',
      payment_id: 'CAP',
      answers: 'paypal:merchant-1:CAP/op-1:2',
      decision: 'FAILED',
      reason: 'seen in the dashboard',
      reviewer: 'ann',
      decided_at: '2026-09-02T09:00:00+02:00',
    };
    expect(only(value)).toMatchObject({
      kind: 'review',
      answers: 'paypal:merchant-1:CAP/op-1:2',
      decision: 'FAILED',
      reviewer: 'ann',
      at: Date.parse('2026-09-02T07:00:00Z'),
    });
  });
});
