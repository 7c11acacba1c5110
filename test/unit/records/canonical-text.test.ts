import canonicalizeModule from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/evaluator/index.ts';
import { canonicalText } from '../../../src/records/canonical-text.ts';
import { parseJsonText } from '../../../src/records/json-text.ts';

// The package is CommonJS with types that claim a `default` export; what is imported is the function itself.
const rfc8785 = canonicalizeModule as unknown as (value: unknown) => string;

const shuffled = (value: Json): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
};

describe('canonical text', () => {
  it('is what RFC 8785 says, for every value that the RFC has a form for', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(canonicalText(value as Json)).toBe(rfc8785(value));
      }),
      { numRuns: 500 },
    );
  });

  it('is the same whatever the order of the keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(canonicalText(shuffled(value as Json))).toBe(canonicalText(value as Json));
      }),
      { numRuns: 500 },
    );
  });

  it('sorts keys by UTF-16 units and escapes as little as it must, as in the RFC', () => {
    const value = {
      '\u20ac': 'Euro',
      '\r': 'CR',
      '\ufb33': 'dalet',
      '1': 'one',
      '\u{1f600}': 'grin',
      '\u0080': '\u000f',
    };
    expect(canonicalText(value)).toBe(
      '{"\\r":"CR","1":"one","\u0080":"\\u000f","\u20ac":"Euro","\u{1f600}":"grin","\ufb33":"dalet"}',
    );
  });

  it('prints numbers as ECMAScript does, and integers that no double holds with all their digits', () => {
    const text =
      '{"a":333333333.33333329,"b":1E30,"c":4.50,"d":2e-3,"e":-0,"f":9007199254740993,"g":-12345678901234567890}';
    expect(canonicalText(parseJsonText(text))).toBe(
      '{"a":"333333333.33333329","b":1e+30,"c":4.5,"d":0.002,"e":0,"f":9007199254740993,"g":-12345678901234567890}',
    );
  });

  it('takes a field without a value for null', () => {
    expect(canonicalText(undefined)).toBe('null');
    expect(canonicalText([null, true])).toBe('[null,true]');
  });
});
