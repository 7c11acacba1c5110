import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { Json, VerdictRecord } from '../../../src/evaluator/index.ts';
import type { Frozen } from '../../../src/records/frozen.ts';
import { parseInputRecord, parseVerdictRecord, type verdictRecord } from '../../../src/records/index.ts';
import {
  actedExample,
  inputExamples,
  readbackExample,
  reviewExample,
  startedExample,
  webhookExample,
} from './examples.ts';
import { verdictExample } from './verdict-example.ts';

const parse = (value: object) => parseInputRecord(value as Json);
const reasonOf = (value: unknown): string => {
  const parsed = parseInputRecord(value as Json);
  return parsed.ok ? 'ok' : parsed.reason;
};

describe('parseInputRecord', () => {
  it('reads the example of every kind and keeps it as it is', () => {
    for (const example of inputExamples()) expect(parse(example)).toEqual({ ok: true, record: example });
  });

  it('keeps fields that no schema names, at every depth', () => {
    const value = { ...actedExample(), region: 'eu', action: { ...actedExample().action, trace: { a: [1n] } } };
    expect(parse(value)).toEqual({ ok: true, record: value });
  });

  it('takes null for a field that may be left out', () => {
    const started = { ...startedExample(), contract: { id: 'c', version: null }, idempotency_key: null };
    expect(reasonOf({ ...started, action: null, handoff: null, observe_from: null })).toBe('ok');
    const action = {
      result: null,
      error: { kind: 'timeout', http_status: null, body: null },
      completed_at: '2026-09-01T12:00:01Z',
    };
    expect(reasonOf({ ...actedExample(), action })).toBe('ok');
    expect(
      reasonOf({ ...readbackExample(), purpose: null, resource_id: null, attempt: null, requested_at: null }),
    ).toBe('ok');
    expect(reasonOf({ ...webhookExample(), body_base64: null, certificates: null })).toBe('ok');
  });

  it('reads a start without version, key and the rest', () => {
    const { idempotency_key: _, ...rest } = startedExample();
    expect(reasonOf({ ...rest, contract: { id: 'paypal.refund.completed' } })).toBe('ok');
  });

  it('reads a raw body in base64 and certificates as text or list', () => {
    const { body: _, ...rest } = webhookExample();
    expect(reasonOf({ ...rest, body_base64: '/+8=', certificates: 'PEM' })).toBe('ok');
    expect(reasonOf({ ...rest, body_base64: '', certificates: ['PEM', 'PEM'] })).toBe('ok');
  });

  it('reads absence and errors without a body', () => {
    const { body: _, ...rest } = readbackExample();
    expect(reasonOf({ ...rest, outcome: 'absent' })).toBe('ok');
    expect(
      reasonOf({ ...rest, outcome: 'error', error: { kind: 'rate_limited', message: 'slow', retry_after_ms: 0 } }),
    ).toBe('ok');
  });

  const wrong: readonly [string, unknown, string][] = [
    ['a value that is no object', 7, 'record was 7, should be a JSON object'],
    ['a list', [1, 2], 'record was a list of 2, should be a JSON object'],
    [
      'no kind',
      {},
      'kind was missing, should be operation.started or operation.acted or webhook.received or readback.result or review.decided or charge.receipt or refund.receipt or handoff.requested or handoff.bound',
    ],
    [
      'a kind that is no text',
      { kind: {} },
      'kind was an object, should be operation.started or operation.acted or webhook.received or readback.result or review.decided or charge.receipt or refund.receipt or handoff.requested or handoff.bound',
    ],
    [
      'an unknown kind',
      { kind: 'toString' },
      'kind was "toString", should be operation.started or operation.acted or webhook.received or readback.result or review.decided or charge.receipt or refund.receipt or handoff.requested or handoff.bound',
    ],
    [
      'a missing field',
      { ...reviewExample(), reviewer: undefined },
      'review.decided: reviewer was missing, should be a string of 1 to 255 characters without control characters',
    ],
    [
      'a blank reason',
      { ...reviewExample(), reason: ' ' },
      'review.decided: reason was " ", should be a string that is not empty',
    ],
    [
      'a bad verdict id',
      { ...reviewExample(), answers: '' },
      'review.decided: answers was "", should be a verdict id: a string of 1 to 800 characters without control characters',
    ],
    [
      'a decision a reviewer cannot take',
      { ...reviewExample(), decision: 'PENDING' },
      'review.decided: decision was "PENDING", should be one of VERIFIED, CONTRADICTED, FAILED',
    ],
    [
      'an unknown provider',
      { ...actedExample(), provider: 'adyen' },
      'operation.acted: provider was "adyen", should be one of paypal, square, shopify, stripe',
    ],
    [
      'an account with a colon',
      { ...actedExample(), account: 'a:b' },
      'operation.acted: account was "a:b", should be an account name: 1 to 128 of the characters A-Z a-z 0-9 . _ -',
    ],
    [
      'an id with a control character',
      { ...actedExample(), payment_id: 'a\nb' },
      'operation.acted: payment_id was "a\\nb", should be a string of 1 to 255 characters without control characters',
    ],
    [
      'an id that is a number',
      { ...actedExample(), operation_id: 12345678901234567n },
      'operation.acted: operation_id was 12345678901234567, should be a string of 1 to 255 characters without control characters',
    ],
    [
      'an instant without an offset',
      { ...startedExample(), created_at: '2026-09-01T12:00:00' },
      'operation.started: created_at was "2026-09-01T12:00:00", should be an RFC 3339 instant with an offset, such as 2026-09-01T12:00:00.350Z',
    ],
    [
      'a date that is none',
      { ...startedExample(), created_at: '2026-02-30T12:00:00Z' },
      'operation.started: created_at was "2026-02-30T12:00:00Z", should be an RFC 3339 instant with an offset, such as 2026-09-01T12:00:00.350Z',
    ],
    [
      'a contract by name alone',
      { ...startedExample(), contract: 'paypal' },
      'operation.started: contract was "paypal", should be a JSON object',
    ],
    [
      'an input that is a list',
      { ...startedExample(), input: [] },
      'operation.started: input was a list of 0, should be a JSON object',
    ],
    [
      'an action without result or error',
      { ...actedExample(), action: { completed_at: '2026-09-01T12:00:01Z' } },
      'operation.acted: action.result was missing, should be a JSON object (or give error where there was no answer)',
    ],
    [
      'an action with both',
      { ...actedExample(), action: { ...actedExample().action, error: { kind: 'timeout' } } },
      'operation.acted: action.error was an object, should be left out where result is given',
    ],
    [
      'an http status that is none',
      {
        ...actedExample(),
        action: { error: { kind: 'declined', http_status: 42 }, completed_at: '2026-09-01T12:00:01Z' },
      },
      'operation.acted: action.error.http_status was 42, should be an HTTP status, 100 to 599',
    ],
    [
      'an answer that is no object',
      { ...actedExample(), action: { ...actedExample().action, result: 'ok' } },
      'operation.acted: action.result was a string of 2 characters, should be a JSON object',
    ],
    [
      'a webhook without a body',
      { ...webhookExample(), body: undefined },
      'webhook.received: body was missing, should be the raw body as text (or give body_base64)',
    ],
    [
      'a webhook with two bodies',
      { ...webhookExample(), body_base64: 'aGk=' },
      'webhook.received: body_base64 was a string of 4 characters, should be left out where body is given',
    ],
    [
      'a body in bad base64',
      { ...webhookExample(), body: null, body_base64: 'a_b=' },
      'webhook.received: body_base64 was a string of 4 characters, should be standard base64 with padding',
    ],
    [
      'a header that is no text',
      { ...webhookExample(), headers: { a: 1 } },
      'webhook.received: headers.a was a number, should be a string',
    ],
    [
      'certificates of another type',
      { ...webhookExample(), certificates: true },
      'webhook.received: certificates was a boolean, should be PEM text, or a list of PEM texts',
    ],
    [
      'an ok read without an answer',
      { ...readbackExample(), body: null },
      "readback.result: body was null, should be the provider's raw answer as text, since outcome is ok",
    ],
    [
      'a failed read without its error',
      { ...readbackExample(), outcome: 'error' },
      'readback.result: error was missing, should be a JSON object with kind, since outcome is error',
    ],
    [
      'a negative attempt',
      { ...readbackExample(), attempt: -1 },
      'readback.result: attempt was -1, should be a whole number, 0 or more',
    ],
  ];
  it.each(wrong)('refuses %s and says what it should be', (_, value, reason) => {
    expect(reasonOf(value)).toBe(reason);
  });

  it('tells every wrong field, five at most', () => {
    expect(
      reasonOf({ kind: 'review.decided', provider: 'paypal', account: 'a', payment_id: 'p', operation_id: 'o' }),
    ).toMatch(
      /^review.decided: answers was missing.*; decision was missing.*; reason was missing.*; reviewer was missing.*; decided_at was missing/,
    );
    expect(reasonOf({ kind: 'review.decided' })).toMatch(/; 4 more fields are wrong$/);
  });

  it('names the first wrong field', () => {
    expect(parse({ ...actedExample(), action: { completed_at: 'now' } })).toMatchObject({
      field: 'action.completed_at',
    });
  });

  it('shortens a long value', () => {
    expect(reasonOf({ ...actedExample(), account: 'x'.repeat(1000) })).toContain(
      `account was "${'x'.repeat(79)}…, should be`,
    );
    expect(reasonOf({ ...actedExample(), action: 7 })).toBe('operation.acted: action was 7, should be a JSON object');
  });

  it('never repeats a body, a header or an input', () => {
    const secret = 'tok_secret';
    const told = [
      reasonOf({ ...webhookExample(), body: null, body_base64: secret }),
      reasonOf({ ...webhookExample(), headers: secret }),
      reasonOf({ ...startedExample(), input: secret }),
    ].join();
    expect(told).not.toContain(secret);
  });

  it('holds the kind against the topic', () => {
    expect(parseInputRecord(actedExample(), 'operation-started')).toMatchObject({ ok: true });
    expect(parseInputRecord(actedExample(), 'review-decided')).toEqual({
      ok: false,
      code: 'RECORD_KIND_WRONG',
      reason: 'kind was "operation.acted", should be review.decided on topic review-decided',
      field: 'kind',
    });
  });

  it('reads nothing from a prototype', () => {
    expect(parseInputRecord(JSON.parse('{"__proto__":{"kind":"operation.acted"}}'))).toMatchObject({ field: 'kind' });
    const { reviewer: _, ...rest } = reviewExample();
    const hidden = JSON.parse(JSON.stringify(rest).replace('}', ',"__proto__":{"reviewer":"eve"}}'));
    expect(reasonOf(hidden)).toContain('reviewer was missing');
  });

  it('is total', () => {
    const kind = fc.constantFrom(
      'operation.started',
      'operation.acted',
      'webhook.received',
      'readback.result',
      'review.decided',
    );
    const field = fc.constantFrom(
      ...new Set(inputExamples().flatMap((example) => Object.keys(example))),
      'error',
      'certificates',
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.bigInt(),
      fc.constantFrom(...inputExamples().flatMap((example) => Object.values(example))),
    );
    fc.assert(
      fc.property(kind, fc.dictionary(field, value), (name, rest) => {
        const parsed = parse({ ...rest, kind: name });
        if (!parsed.ok) expect(parsed.reason).toMatch(/ was .*, should be /);
      }),
    );
  });
});

describe('parseVerdictRecord', () => {
  it('reads the verdict record and keeps it as it is', () => {
    expect(parseVerdictRecord(verdictExample() as unknown as Json)).toEqual({ ok: true, record: verdictExample() });
  });

  it('names the field that is wrong', () => {
    const parsed = parseVerdictRecord({ ...verdictExample(), revision: -1 } as unknown as Json);
    expect(parsed).toMatchObject({
      reason: 'verdict: revision was -1, should be a whole number, 0 or more',
      field: 'revision',
    });
    expect(parseVerdictRecord(null)).toMatchObject({ ok: false, field: '' });
  });

  it('has the type that the evaluator publishes', () => {
    expectTypeOf<Frozen<z.output<typeof verdictRecord>>>().toEqualTypeOf<Frozen<VerdictRecord>>();
  });
});
