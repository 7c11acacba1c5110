import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsDigitRun } from '../../../src/records/json-scan.ts';
import {
  JsonTextError,
  MAX_JSON_DEPTH,
  MAX_JSON_LENGTH,
  parseJsonText,
  printJson,
} from '../../../src/records/json-text.ts';

const problemOf = (text: string): string => {
  try {
    parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTextError) return `${error.problem}: ${error.message}`;
  }
  return 'none';
};

describe('parseJsonText', () => {
  it('reads what JSON.parse reads, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        const short = !/\d[\d.]{15}|e[+-]?\d{3}/.test(text);
        if (short) expect(parseJsonText(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps every digit of a long integer as a bigint', () => {
    expect(parseJsonText('{"id":820982911946154508}')).toEqual({ id: 820982911946154508n });
    expect(parseJsonText('[ -9223372036854775808 , 1234567890123456 ]')).toEqual([
      -9223372036854775808n,
      1234567890123456n,
    ]);
    expect(parseJsonText('9007199254740993')).toBe(9007199254740993n);
  });

  it('leaves an integer of 15 digits a number', () => {
    expect(parseJsonText('{"id":123456789012345}')).toEqual({ id: 123456789012345 });
  });

  it('turns another number that a double cannot hold into its own text', () => {
    expect(parseJsonText('[0.1234567890123456789]')).toEqual(['0.1234567890123456789']);
    expect(parseJsonText('[1234567890.1234567]')).toEqual(['1234567890.1234567']);
    expect(parseJsonText('[1e400,-1e-400,1.5E+300,0e999,12]')).toEqual(['1e400', '-1e-400', 1.5e300, 0, 12]);
    expect(parseJsonText('[12345678901234567e2]')).toEqual(['12345678901234567e2']);
  });

  it('does not count leading zeros as digits', () => {
    expect(parseJsonText('[0.000000000000000001]')).toEqual([1e-18]);
  });

  it('keeps an integer of more than 40 digits as text', () => {
    const digits = '9'.repeat(41);
    expect(parseJsonText(`[${digits}]`)).toEqual([digits]);
  });

  it('leaves long digits inside strings alone, escaped JSON included', () => {
    const value = {
      body: '{"id":820982911946154508,"x":[1234567890123456789]}',
      'k"1234567890123456': '1234567890123456\\',
    };
    expect(parseJsonText(JSON.stringify(value))).toEqual(value);
    expect(parseJsonText(JSON.stringify({ ...value, n: 1 }).replace(':1}', ':12345678901234567}'))).toEqual({
      ...value,
      n: 12345678901234567n,
    });
  });

  it('reads every kind of value beside a long number as JSON.parse does', () => {
    const text = ' {"a" : [ ] , "b":{ },"c":[true,false,null,"x\\n\\u00e9",{"d":1.5}],"e":12345678901234567 , "a":2}\n';
    expect(parseJsonText(text)).toEqual({
      a: 2,
      b: {},
      c: [true, false, null, 'x\né', { d: 1.5 }],
      e: 12345678901234567n,
    });
  });

  it('finds long integers wherever they stand', () => {
    const leaf = fc.oneof(fc.bigInt(), fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
    }));
    const normal = (value: unknown): unknown => {
      if (typeof value === 'bigint') {
        const digits = value.toString().replace('-', '').length;
        if (digits > 40) return value.toString();
        return digits > 15 ? value : Number(value) || 0;
      }
      if (Array.isArray(value)) return value.map(normal);
      if (typeof value === 'object' && value !== null) {
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item)]));
      }
      return value;
    };
    fc.assert(
      fc.property(tree, (value) => {
        const expected = normal(value);
        const read = parseJsonText(printJson(value as never));
        expect(printJson(read)).toBe(printJson(expected as never));
        expect(read).toEqual(expected);
      }),
    );
  });

  it('finds long integers behind repeated and escaped keys, and where the last value of a key is another', () => {
    const long = '12345678901234567';
    expect(parseJsonText(`{"a":${long},"a":1,"b":1,"b":${long}}`)).toEqual({ a: 1, b: 12345678901234567n });
    expect(parseJsonText(`{"a":{"b":${long}},"a":5,"c":{"d":[${long}]},"c":{}}`)).toEqual({ a: 5, c: {} });
    expect(parseJsonText(`{"a":{"b":[${long}]},"a":null,"\\u00e9\\"":[0,{"x":${long}}]}`)).toEqual({
      a: null,
      'é"': [0, { x: 12345678901234567n }],
    });
    expect(parseJsonText(`{"a":[[1,2],{"k":"v"},[],${long}],"z":-${long}}`)).toEqual({
      a: [[1, 2], { k: 'v' }, [], 12345678901234567n],
      z: -12345678901234567n,
    });
    expect(Object.entries(parseJsonText(`{"__proto__":${long}}`) as object)).toEqual([
      ['__proto__', 12345678901234567n],
    ]);
  });

  it('keeps "__proto__" a key like any other', () => {
    for (const text of ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":1},"n":12345678901234567}']) {
      const value = parseJsonText(text) as Record<string, unknown>;
      expect(Object.keys(value)[0]).toBe('__proto__');
      expect(value['polluted']).toBeUndefined();
    }
  });

  it('refuses what is not JSON and says where, without repeating it', () => {
    expect(problemOf('{"a":secret}')).toMatch(/^not_json: not JSON: unexpected character/);
    expect(problemOf(`{"a":"${'x'.repeat(100)}",secret}`)).toBe(
      'not_json: not JSON: unexpected character at position 108',
    );
    expect(problemOf('{"a":secret}')).not.toContain('secret');
    expect(problemOf('')).toBe('not_json: not JSON: the text is empty');
    expect(problemOf('{"a":1,')).toMatch(/^not_json: not JSON: (the text ends too early|unexpected)/);
    expect(problemOf('[1')).toMatch(/^not_json: not JSON: (the text ends too early|unexpected)/);
    expect(problemOf('{"a":')).toBe('not_json: not JSON: the text ends too early');
    expect(problemOf('[1234567890123456789')).toMatch(/^not_json/);
  });

  it('refuses a text that is too long', () => {
    expect(problemOf(`"${'x'.repeat(MAX_JSON_LENGTH)}"`)).toBe(
      `too_large: the JSON text has ${MAX_JSON_LENGTH + 2} characters, at most ${MAX_JSON_LENGTH} are read`,
    );
  });

  it('reads the deepest nesting it allows and refuses one more', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}"]}"${'}]'.repeat(depth / 2)}`;
    expect(problemOf(nested(MAX_JSON_DEPTH))).toBe('none');
    expect(problemOf(nested(MAX_JSON_DEPTH + 2))).toBe('too_deep: the JSON text is nested more than 64 deep');
    expect(problemOf('['.repeat(1_000_000))).toMatch(/^too_deep/);
  });

  it('reads a wide text with many brackets, in strings too', () => {
    const wide = Array.from({ length: 100 }, () => ({ a: ['[[[{{{"\\'] }));
    expect(parseJsonText(JSON.stringify(wide))).toEqual(wide);
    expect(problemOf(`${'[]'.repeat(65)}"`)).toMatch(/^not_json/);
  });

  it('refuses half a surrogate pair and reads a whole one', () => {
    expect(parseJsonText('["\\ud83d\\ude00","\\uDC00x"]'.replace(',"\\uDC00x"', ''))).toEqual(['😀']);
    for (const text of ['"\\ud83d"', '["a\\uDC00"]', '{"\\ud83d":1}', '{"a":{"b":[1,"\\ud83d"]}}']) {
      expect(problemOf(text)).toMatch(/^not_unicode/);
    }
    expect(parseJsonText('{"a":"\\\\ud83d","n":1}')).toEqual({ a: '\\ud83d', n: 1 });
  });
});

describe('printJson', () => {
  it('prints as JSON.stringify where no bigint is', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => printJson(value as never) === JSON.stringify(value)));
  });

  it('prints a bigint as a number with all its digits', () => {
    expect(printJson({ id: 820982911946154508n, list: [1n, 'a', null, true, 1.5] })).toBe(
      '{"id":820982911946154508,"list":[1,"a",null,true,1.5]}',
    );
    expect(printJson({ id: 1n, gone: undefined } as never)).toBe('{"id":1}');
  });
});

describe('holdsDigitRun', () => {
  it('agrees with the plain search', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9.a]{0,80}$/), (text) => {
        expect(holdsDigitRun(text, 16)).toBe(/[\d.]{16}/.test(text));
      }),
    );
    expect(holdsDigitRun('a'.repeat(9) + '1'.repeat(16), 16)).toBe(true);
  });
});
