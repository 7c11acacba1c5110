import avro from 'avsc';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/evaluator/index.ts';
import { AVRO_PLANS, type AvroPlan, type FieldPlan, type RecordKind } from '../../../src/records/avro-plan.ts';
import { avroSchemaText, RECORD_KINDS } from '../../../src/records/avro-schemas.ts';
import {
  decodeInput,
  decodeValue,
  encodeJson,
  fromAvroShape,
  handoffDecided,
  INPUT_SCHEMAS,
  type InputKind,
  NO_REGISTRY,
  parseInputRecord,
  schemaIdOf,
  toAvroShape,
  topicOfKind,
  verdictRecord,
} from '../../../src/records/index.ts';
import { MAX_JSON_LENGTH } from '../../../src/records/json-text.ts';
import { inputRecord, normalRecord } from './arbitraries.ts';
import { actedExample, inputExamples, reviewExample, webhookExample } from './examples.ts';
import { handoffExample } from './handoff-example.ts';
import { verdictExample } from './verdict-example.ts';

const typeOf = (kind: RecordKind) => avro.Type.forSchema(JSON.parse(avroSchemaText(kind)));
const TYPES = Object.fromEntries(RECORD_KINDS.map((kind) => [kind, typeOf(kind)])) as Record<RecordKind, avro.Type>;
const IDS = Object.fromEntries(RECORD_KINDS.map((kind, index) => [kind, index + 1])) as Record<RecordKind, number>;
const readAvro = (id: number) => {
  const kind = RECORD_KINDS[id - 1];
  return kind === undefined
    ? null
    : { read: (bytes: Uint8Array): unknown => TYPES[kind].fromBuffer(Buffer.from(bytes)) };
};
const wire = (kind: RecordKind, shape: unknown): Buffer => {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(IDS[kind], 1);
  return Buffer.concat([header, TYPES[kind].toBuffer(shape)]);
};
const throughAvro = (kind: RecordKind, record: object): Json => {
  const decoded = decodeValue(wire(kind, toAvroShape(kind, record as JsonObject)), readAvro);
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
};

/** Field names of a schema, nested ones dotted, whatever the schema language. */
const planFields = (plan: AvroPlan, path = ''): string[] =>
  Object.entries(plan).flatMap(([name, how]: [string, FieldPlan]) => [
    `${path}${name}`,
    ...(typeof how === 'object' ? planFields(how, `${path}${name}.`) : []),
  ]);

const recordIn = (type: avro.Type): avro.types.RecordType | null => {
  if (type instanceof avro.types.RecordType) return type;
  const members = (type as Partial<avro.types.UnwrappedUnionType>).types ?? [];
  return members.map(recordIn).find((member) => member !== null) ?? null;
};
const avroFields = (type: avro.types.RecordType, path = ''): string[] =>
  type.fields.flatMap((field) => {
    const nested = recordIn(field.type);
    return [`${path}${field.name}`, ...(nested === null ? [] : avroFields(nested, `${path}${field.name}.`))];
  });

interface ZodLike {
  readonly safeParse: (value: unknown) => { readonly success: boolean };
  readonly def: { readonly type: string; readonly innerType?: ZodLike; readonly shape?: Record<string, ZodLike> };
}
const zodFields = (schema: ZodLike, path = ''): string[] => {
  if (schema.def.innerType !== undefined) return zodFields(schema.def.innerType, path);
  return Object.entries(schema.def.shape ?? {}).flatMap(([name, field]) => [
    `${path}${name}`,
    ...zodFields(field, `${path}${name}.`),
  ]);
};

/** Fields that the zod schema lets be null, those of any JSON among them. */
const nullable = (schema: ZodLike, path = ''): string[] => {
  const { innerType, shape } = schema.def;
  const own = schema.safeParse(null).success ? [path] : [];
  if (innerType !== undefined) return [...own, ...nullable(innerType, path)];
  const at = path === '' ? '' : `${path}.`;
  return [...own, ...Object.entries(shape ?? {}).flatMap(([name, field]) => nullable(field, `${at}${name}`))];
};

const takesNull = (type: avro.Type, [name, ...rest]: readonly string[]): boolean => {
  const field = recordIn(type)?.fields.find((one) => one.name === name);
  if (field === undefined) return true;
  return rest.length > 0 ? takesNull(field.type, rest) : field.type.isValid(null);
};

const SCHEMAS: Record<RecordKind, unknown> = {
  ...INPUT_SCHEMAS,
  verdict: verdictRecord,
  'handoff.decided': handoffDecided,
};

describe('the Avro schemas', () => {
  it.each(RECORD_KINDS)('name the same fields as the zod schema and the plan: %s', (kind) => {
    const planned = planFields(AVRO_PLANS[kind]).sort();
    const type = recordIn(TYPES[kind]);
    expect(avroFields(type as avro.types.RecordType).sort()).toEqual([...planned, 'extra'].sort());
    const zod = zodFields(SCHEMAS[kind] as ZodLike).filter((name) => name !== 'body_base64');
    expect(zod.sort()).toEqual(planned);
  });

  it('carry any input record that parses, losing nothing', () => {
    fc.assert(
      fc.property(inputRecord, (record) => {
        expect(parseInputRecord(record)).toMatchObject({ ok: true });
        const kind = record['kind'] as InputKind;
        const back = decodeInput(wire(kind, toAvroShape(kind, record)), topicOfKind(kind), readAvro);
        if (!back.ok) throw new Error(back.reason);
        expect(normalRecord(back.record as unknown as JsonObject)).toEqual(normalRecord(record));
      }),
      { numRuns: 500 },
    );
  });

  it('carry a verdict, nulls included', () => {
    expect(throughAvro('verdict', verdictExample())).toEqual(verdictExample());
    const bare = { ...verdictExample(), refund: null, class: null, correlation: null, money_moved: null };
    expect(throughAvro('verdict', bare)).toEqual(bare);
  });

  // PayPal's short answer to a refund states its id and status alone: the verdict could not be written, and its shard stood.
  it('carry a verdict whose refund has an id and nothing else', () => {
    const verdict = {
      ...verdictExample(),
      refund: { id: '1JU08902781691411', amount: null, currency: null, status: null },
    };
    expect(throughAvro('verdict', verdict)).toEqual(verdict);
  });

  it.each(RECORD_KINDS)('take null wherever the zod schema does: %s', (kind) => {
    const refused = nullable(SCHEMAS[kind] as ZodLike).filter((path) => !takesNull(TYPES[kind], path.split('.')));
    // The bytes of a webhook are there in any case: as `body` or as `body_base64`.
    expect([...new Set(refused)]).toEqual(kind === 'webhook.received' ? ['body'] : []);
  });

  it('carry the answer to a request, nulls included', () => {
    expect(throughAvro('handoff.decided', handoffExample())).toEqual(handoffExample());
    const bare = { ...handoffExample(), plan: null, plan_digest: null, operation: null, authority_key: null };
    expect(throughAvro('handoff.decided', bare)).toEqual(bare);
  });

  it('carry a raw body as its bytes', () => {
    const { body: _, ...rest } = webhookExample();
    expect(toAvroShape('webhook.received', webhookExample())['body']).toEqual(Buffer.from('{"merchant_id":"M1"}'));
    expect(throughAvro('webhook.received', { ...rest, body_base64: '/+8=' })).toEqual({ ...rest, body_base64: '/+8=' });
    expect(throughAvro('webhook.received', { ...rest, body: '\ufeffé' })).toEqual({ ...rest, body: '\ufeffé' });
  });

  it('keep a field named "extra" that is not ours', () => {
    const record = { ...actedExample(), extra: { a: 1 }, action: { ...actedExample().action, extra: '{' } };
    expect(throughAvro('operation.acted', record)).toEqual(record);
  });
});

describe('fromAvroShape', () => {
  const shape = (over: object) => ({ ...toAvroShape('operation.acted', actedExample()), ...over });
  const reasonOf = (decoded: unknown): string => {
    const read = fromAvroShape(decoded);
    return read.ok ? 'ok' : `${read.field}: ${read.reason}`;
  };

  it('keeps fields that a newer writer added, bytes as base64', () => {
    expect(fromAvroShape(shape({ shard: [1, { raw: Buffer.from('hi'), none: null }] }))).toMatchObject({
      value: { shard: [1, { raw: 'aGk=', none: null }] },
    });
  });

  it('never lets extra overwrite a field', () => {
    expect(fromAvroShape(shape({ extra: '{"account":"evil","action":{"completed_at":"x","more":1}}' }))).toMatchObject({
      value: { account: 'merchant-1', action: { completed_at: '2026-09-01T12:00:01.550Z', more: 1 } },
    });
  });

  it('takes text for bytes, of a writer whose schema says string', () => {
    const hook = { ...toAvroShape('webhook.received', webhookExample()), body: '{"é":1}' };
    expect(fromAvroShape(hook)).toMatchObject({ value: { body: '{"é":1}' } });
    const read = { kind: 'readback.result', body: '{}' };
    expect(fromAvroShape(read)).toEqual({ ok: true, value: read });
  });

  it('leaves a body that is missing for the parser to tell', () => {
    expect(fromAvroShape({ kind: 'webhook.received' })).toEqual({ ok: true, value: { kind: 'webhook.received' } });
  });

  it('refuses what does not fit and names the field', () => {
    expect(reasonOf(7)).toBe(': record was 7, should be an Avro record');
    expect(reasonOf(Buffer.from('x'))).toBe(': record was 1 bytes, should be an Avro record');
    expect(reasonOf(shape({ extra: '[1]' }))).toBe(
      'extra: extra was a list of 1, should be the JSON text of an object',
    );
    expect(reasonOf(shape({ extra: 7 }))).toBe('extra: extra was 7, should be JSON text');
    expect(reasonOf(shape({ action: { result: 'nonsense' } }))).toBe(
      'action.result: action.result was a string of 8 characters, should be JSON text (not JSON: unexpected character)',
    );
    expect(reasonOf(shape({ ratio: Number.NaN }))).toBe('ratio: ratio was null, should be a finite number');
    expect(reasonOf({ kind: 'readback.result', body: Buffer.from([0xff]) })).toBe(
      'body: body was 1 bytes, should be UTF-8 bytes',
    );
    expect(reasonOf({ kind: 'readback.result', body: 7 })).toBe('body: body was a number, should be UTF-8 bytes');
    expect(reasonOf({ kind: 7 })).toBe('ok');
  });

  it('refuses a nesting without end', () => {
    const endless: Record<string, unknown> = {};
    endless['again'] = endless;
    expect(reasonOf(endless)).toMatch(/should be nested at most 64 deep$/);
    const list: unknown[] = [];
    list.push(list);
    expect(reasonOf({ list })).toMatch(/should be nested at most 64 deep$/);
  });
});

describe('decodeValue', () => {
  it('reads JSON and Avro by the first byte', () => {
    for (const example of inputExamples()) {
      const kind = example.kind as InputKind;
      expect(decodeValue(encodeJson(example), NO_REGISTRY)).toEqual({ ok: true, value: example });
      expect(throughAvro(kind, example)).toEqual(example);
    }
    expect(decodeValue(Buffer.from([0, 0, 0, 0, 1, 0]), NO_REGISTRY)).toMatchObject({ code: 'SCHEMA_UNKNOWN' });
    expect(decodeInput(encodeJson(reviewExample()), 'review-decided', NO_REGISTRY)).toMatchObject({ ok: true });
  });

  const wrong: readonly [string, Uint8Array | null, string, RegExp][] = [
    ['a tombstone', null, 'RECORD_MALFORMED', /value was empty/],
    ['no bytes', new Uint8Array(), 'RECORD_MALFORMED', /value was empty/],
    [
      'another first byte',
      Buffer.from(' {}'),
      'RECORD_MALFORMED',
      /begins with byte 0x20, should begin with 0x00 \(Avro\) or \{ \(JSON\)/,
    ],
    ['bad JSON', Buffer.from('{"a":}'), 'RECORD_MALFORMED', /^not JSON/],
    ['JSON that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'RECORD_MALFORMED', /not UTF-8/],
    ['too many bytes', Buffer.alloc(MAX_JSON_LENGTH + 1), 'RECORD_TOO_LARGE', /should be at most/],
    ['a header cut short', Buffer.from([0, 0, 0]), 'RECORD_MALFORMED', /3 bytes of Avro, should have a schema id/],
    ['a schema nobody knows', Buffer.from([0, 0, 0, 1, 0, 1]), 'SCHEMA_UNKNOWN', /schema id 256 is not known/],
    [
      'bytes that the schema did not write',
      Buffer.from([0, 0, 0, 0, 1, 0xff]),
      'RECORD_MALFORMED',
      /not what schema id 1 writes/,
    ],
    [
      'a field that does not fit',
      wire('review.decided', { ...toAvroShape('review.decided', reviewExample()), extra: '[' }),
      'RECORD_MALFORMED',
      /^extra/,
    ],
  ];
  it.each(wrong)('refuses %s', (_, bytes, code, reason) => {
    const decoded = decodeInput(bytes, 'review-decided', readAvro);
    expect(decoded).toMatchObject({ ok: false, code });
    if (!decoded.ok) expect(decoded.reason).toMatch(reason);
  });

  it('is total over any bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 0x7b), fc.uint8Array({ maxLength: 60 }), fc.nat({ max: 8 }), (first, rest, id) => {
        const bytes =
          first === 0
            ? Buffer.concat([Buffer.from([0, 0, 0, 0, id]), rest])
            : Buffer.concat([Buffer.from([first]), rest]);
        expect(decodeInput(bytes, 'operation-started', readAvro).ok).toBeTypeOf('boolean');
      }),
      { numRuns: 500 },
    );
  });

  it('tells the schema id of the wire format alone', () => {
    expect(schemaIdOf(Buffer.from([0, 0, 0, 1, 2, 9]))).toBe(258);
    expect([schemaIdOf(null), schemaIdOf(Buffer.from('{}')), schemaIdOf(Buffer.from([0, 1]))]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
