import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RecordKind } from '../../../src/records/avro-plan.ts';
import { RECORD_KINDS } from '../../../src/records/avro-schemas.ts';
import {
  INPUT_SCHEMAS,
  parseInputRecord,
  parseJsonText,
  parseVerdictRecord,
  verdictRecord,
} from '../../../src/records/index.ts';

const page = readFileSync(new URL('../../../docs/reference/records.md', import.meta.url), 'utf8');
const sections = new Map(page.split(/^## /m).map((text) => [text.slice(0, text.indexOf('\n')), text]));
const sectionOf = (kind: string): string => sections.get(kind) ?? '';

interface ZodLike {
  readonly def: { readonly type: string; readonly innerType?: ZodLike; readonly shape?: Record<string, ZodLike> };
}
/** `field` → whether it is required, nested fields dotted. */
const fieldsOf = (schema: ZodLike, path = ''): [string, string][] => {
  if (schema.def.innerType !== undefined) return fieldsOf(schema.def.innerType, path);
  return Object.entries(schema.def.shape ?? {}).flatMap(([name, field]): [string, string][] => [
    [`${path}${name}`, field.def.type === 'optional' ? 'no' : 'yes'],
    ...fieldsOf(field, `${path}${name}.`),
  ]);
};
const schemaOf = (kind: RecordKind): unknown => (kind === 'verdict' ? verdictRecord : INPUT_SCHEMAS[kind]);

describe('docs/reference/records.md', () => {
  it.each(RECORD_KINDS)('lists every field of %s and whether it is required', (kind) => {
    const rows = [...sectionOf(kind).matchAll(/^\| `([^`]+)` \| (yes|no) \|/gm)].map(([, name, required]) => [
      name,
      required,
    ]);
    expect(rows).toEqual(fieldsOf(schemaOf(kind) as ZodLike));
  });

  it.each(RECORD_KINDS)('shows examples of %s that are read', (kind) => {
    const examples = [...sectionOf(kind).matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) =>
      parseJsonText(text ?? ''),
    );
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const parsed = kind === 'verdict' ? parseVerdictRecord(example) : parseInputRecord(example);
      expect(parsed).toMatchObject({ ok: true, record: { kind } });
    }
  });
});
