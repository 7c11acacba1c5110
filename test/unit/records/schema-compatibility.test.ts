import { readdirSync, readFileSync } from 'node:fs';
import avro from 'avsc';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/evaluator/index.ts';
import type { RecordKind } from '../../../src/records/avro-plan.ts';
import { avroSchemaText, RECORD_KINDS, RECORD_SCHEMAS_URL } from '../../../src/records/avro-schemas.ts';
import { fromAvroShape, toAvroShape } from '../../../src/records/index.ts';
import { inputExamples } from './examples.ts';
import { handoffExample } from './handoff-example.ts';
import { verdictExample } from './verdict-example.ts';

// contracts/records/baseline holds the schemas of the last release: what consumers out there have written and keep.
const BASELINE = new URL('baseline/', RECORD_SCHEMAS_URL);

interface RecordSchema {
  fields: { name: string; type: unknown; default?: unknown }[];
}
const current = (kind: RecordKind): RecordSchema => JSON.parse(avroSchemaText(kind));
const baseline = (kind: string): RecordSchema => JSON.parse(readFileSync(new URL(`${kind}.avsc`, BASELINE), 'utf8'));
const typeOf = (schema: RecordSchema): avro.Type => avro.Type.forSchema(schema as unknown as avro.Schema);

/** Whether a reader with the new schema reads what the old one wrote (BACKWARD). */
const reads = (next: RecordSchema, old: RecordSchema): boolean => {
  try {
    typeOf(next).createResolver(typeOf(old));
    return true;
  } catch {
    return false;
  }
};

const kindsOfBaseline = readdirSync(BASELINE).map((file) => file.replace(/\.avsc$/, ''));
const EXAMPLES = [...inputExamples(), verdictExample(), handoffExample()] as unknown as JsonObject[];

describe('a change of an Avro schema', () => {
  it.each(kindsOfBaseline)('lets a consumer read what was written before: %s', (kind) => {
    expect(RECORD_KINDS).toContain(kind);
    expect(reads(current(kind as RecordKind), baseline(kind))).toBe(true);
  });

  it.each(EXAMPLES)('gives the same record out of bytes of the last release: $kind', (example) => {
    const kind = example['kind'] as RecordKind;
    const [old, next] = [typeOf(baseline(kind)), typeOf(current(kind))];
    const bytes = old.toBuffer(toAvroShape(kind, example));
    expect(fromAvroShape(next.fromBuffer(bytes, next.createResolver(old)))).toEqual({ ok: true, value: example });
  });

  it.each(RECORD_KINDS)('is refused where it breaks: %s', (kind) => {
    const required = current(kind);
    required.fields.push({ name: 'region', type: 'string' });
    expect(reads(required, baseline(kind))).toBe(false);
    const retyped = current(kind);
    for (const field of retyped.fields) if (field.name === 'provider') field.type = 'long';
    expect(reads(retyped, baseline(kind))).toBe(false);
    const optional = current(kind);
    optional.fields.push({ name: 'region', type: ['null', 'string'], default: null });
    expect(reads(optional, baseline(kind))).toBe(true);
  });
});
