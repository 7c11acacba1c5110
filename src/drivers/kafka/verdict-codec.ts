import { printedRecord } from '../../consumers/verdict-digest.ts';
import { OperatingError } from '../../errors.ts';
import type { RecordEncoder } from '../../ports/record-encoder.ts';
import type { SchemaLookup } from '../../ports/schema-lookup.ts';
import { decodeValue, parseJsonText, schemaIdOf } from '../../records/index.ts';
import { jsonVerdicts, type VerdictEncoder } from './verdict-messages.ts';
import type { VerdictDecoder } from './verdict-tail.ts';

/** Pending verdicts are JSON text already; for Avro the text is read again where the record is not at hand. */
export const verdictEncoder = (
  encoder: RecordEncoder,
  kind: 'verdict' | 'handoff.decided' = 'verdict',
): VerdictEncoder =>
  encoder.contentType === 'application/json'
    ? jsonVerdicts
    : async (verdicts) =>
        verdicts.map((verdict) =>
          encoder.encode(kind, printedRecord(verdict) ?? (parseJsonText(verdict.value) as object)),
        );

/** Reads published verdicts, JSON or Avro by their first byte. Throws REGISTRY_UNAVAILABLE, and RECORD_MALFORMED for what is none. */
export const verdictDecoder =
  (schemas: SchemaLookup | null): VerdictDecoder =>
  async (value) => {
    const id = schemaIdOf(value);
    if (id !== null) await schemas?.load(id);
    const decoded = decodeValue(value, (schemaId) => schemas?.get(schemaId) ?? null);
    if (decoded.ok) return decoded.value;
    throw new OperatingError('RECORD_MALFORMED', `a published verdict cannot be read: ${decoded.reason}`);
  };
