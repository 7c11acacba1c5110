import { OperatingError } from '../../errors.ts';
import type { RecordEncoder } from '../../ports/record-encoder.ts';
import type { SchemaLookup } from '../../ports/schema-lookup.ts';
import { decodeValue, parseJsonText, schemaIdOf } from '../../records/index.ts';
import { jsonVerdicts, type VerdictEncoder } from './verdict-messages.ts';
import type { VerdictDecoder } from './verdict-tail.ts';

/** Pending verdicts are JSON text already; only Avro reads them once more. */
export const verdictEncoder = (encoder: RecordEncoder): VerdictEncoder =>
  encoder.contentType === 'application/json'
    ? jsonVerdicts
    : async (values) => values.map((value) => encoder.encode('verdict', parseJsonText(value) as object));

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
