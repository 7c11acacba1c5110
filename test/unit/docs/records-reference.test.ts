import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAdmission } from '../../../src/consumers/admit.ts';
import { loadContracts } from '../../../src/contracts/load.ts';
import type { Json } from '../../../src/evaluator/index.ts';
import type { RecordKind } from '../../../src/records/avro-plan.ts';
import { RECORD_KINDS } from '../../../src/records/avro-schemas.ts';
import {
  handoffDecided,
  INPUT_SCHEMAS,
  parseHandoffDecided,
  parseInputRecord,
  parseJsonText,
  parseVerdictRecord,
  verdictRecord,
} from '../../../src/records/index.ts';
import { secret, squareEndpoint } from '../../support/deliveries.ts';

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
const OUTPUT_SCHEMAS = { verdict: verdictRecord, 'handoff.decided': handoffDecided };
const schemaOf = (kind: RecordKind): unknown => ({ ...INPUT_SCHEMAS, ...OUTPUT_SCHEMAS })[kind];
const OUTPUT_PARSERS = { verdict: parseVerdictRecord, 'handoff.decided': parseHandoffDecided };
const parserOf = (kind: RecordKind): ((value: Json) => unknown) =>
  ({ ...OUTPUT_PARSERS })[kind as keyof typeof OUTPUT_PARSERS] ?? parseInputRecord;

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
      const parsed = parserOf(kind)(example);
      expect(parsed).toMatchObject({ ok: true, record: { kind } });
    }
  });

  it.each(['operation.started', 'operation.acted', 'webhook.received', 'readback.result', 'review.decided'])(
    'shows examples of %s that count',
    (kind) => {
      const key = secret('example-signature-key');
      const endpoints = [squareEndpoint([key])];
      const admission = createAdmission({
        contracts: loadContracts(),
        endpoints,
        testMode: false,
        trustGateway: false,
      });
      for (const [, text] of sectionOf(kind).matchAll(/^```json\n([\s\S]*?)^```/gm)) {
        const parsed = parseInputRecord(parseJsonText(text ?? ''));
        if (!parsed.ok) throw new Error(parsed.reason);
        const source = { topic: 'docs', partition: 0, offset: '0' };
        const admitted = admission.admit(parsed.record, { source, timestamp: Date.parse('2026-09-02T00:00:00Z') });
        expect(admitted).toMatchObject({ outcome: 'admitted' });
      }
    },
  );
});
