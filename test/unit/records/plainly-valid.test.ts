import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/evaluator/index.ts';
import { isPlainlyValid } from '../../../src/records/plainly-valid.ts';
import { INPUT_SCHEMAS, type InputKind } from '../../../src/records/records.ts';
import { inputRecord, json } from './arbitraries.ts';
import { actedExample, readbackExample, startedExample, webhookExample } from './examples.ts';

const kindOf = (record: JsonObject): InputKind => record['kind'] as InputKind;

/** Values that sit at the edge of what a field may be. */
const edge = fc.oneof(
  json,
  fc.constantFrom<Json[]>(
    '',
    ' ',
    'ok',
    'absent',
    'poll',
    'a\u0000b',
    '\ud83d\ude00',
    'x'.repeat(256),
    -1,
    0,
    99,
    600,
    1.5,
  ),
  fc.constantFrom<Json[]>(2 ** 53, 10n ** 20n, [], {}, { id: '' }, { id: 'x', version: '' }, 'paypal', '2026-09-01'),
);

/** A record of which one field, at any depth, is something else. */
const bent = fc.tuple(inputRecord, fc.nat(), edge).map(([record, place, value]) => {
  const copy = structuredClone(record) as Record<string, Json>;
  const fields = Object.keys(copy).filter((field) => field !== 'kind');
  const field = fields[place % fields.length] ?? 'account';
  const inner = copy[field];
  if (place % 2 === 1 && typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
    const names = [...Object.keys(inner), 'error', 'version', 'new'];
    copy[field] = { ...(inner as JsonObject), [names[place % names.length] ?? 'new']: value };
  } else copy[field] = value;
  return copy as JsonObject;
});

const isValid = (record: JsonObject): boolean => INPUT_SCHEMAS[kindOf(record)].safeParse(record).success;

describe('what is plainly valid', () => {
  it.each([startedExample(), actedExample(), webhookExample(), readbackExample()])('is the usual $kind', (record) => {
    expect(isPlainlyValid(record.kind as InputKind, record as unknown as JsonObject)).toBe(true);
  });

  it('is valid by its schema, whatever one of its fields is', () => {
    fc.assert(
      fc.property(fc.oneof(inputRecord as fc.Arbitrary<JsonObject>, bent), (record) => {
        if (isPlainlyValid(kindOf(record), record)) expect(isValid(record)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['a list for the headers', { ...webhookExample(), headers: [] }],
    ['a header that is no text', { ...webhookExample(), headers: { a: 1 } }],
    ['a header that would set a prototype', { ...webhookExample(), headers: JSON.parse('{"__proto__":"x"}') }],
    ['headers of another prototype', { ...webhookExample(), headers: Object.create({ a: 1 }) }],
    ['no headers', { ...webhookExample(), headers: null }],
    ['a status that is none', { ...readbackExample(), http_status: 600 }],
    ['a status below all', { ...readbackExample(), http_status: 99 }],
    ['an attempt below none', { ...readbackExample(), attempt: -1 }],
    ['a provider that is a number', { ...readbackExample(), provider: 1 }],
    ['an unknown provider', { ...readbackExample(), provider: 'bank' }],
    ['an instant that is none', { ...readbackExample(), observed_at: 'noon' }],
    ['an action that is none', { ...actedExample(), action: 'done' }],
  ])('is not %s', (_, record) => {
    expect(isPlainlyValid(record.kind as InputKind, record as unknown as JsonObject)).toBe(false);
  });

  it('is no kind that comes seldom', () => {
    expect(isPlainlyValid('review.decided', {})).toBe(false);
  });
});
