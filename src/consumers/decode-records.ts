import { OperatingError } from '../errors.ts';
import type { ConsumedRecord } from '../ports/consumed-record.ts';
import type { SchemaLookup } from '../ports/schema-lookup.ts';
import { decodeInput, type ReadAvro, schemaIdOf } from '../records/codec.ts';
import { type CheckSeal, SEAL_HEADER } from '../records/seal.ts';
import { type InputTopic, inputTopicOf } from '../records/topics.ts';
import type { DecodedRecord, Undecodable } from './decoded-record.ts';

export interface DecodeOptions {
  /** null: no registry is configured, and Avro is SCHEMA_UNKNOWN */
  readonly schemas: SchemaLookup | null;
  /** a larger value is a dead letter */
  readonly maxBytes: number;
  readonly checkSeal: CheckSeal;
}

const utf8 = new TextDecoder();

/** Fetches the schemas that the batch needs and that are not here yet. */
const loadSchemas = async (records: readonly ConsumedRecord[], schemas: SchemaLookup): Promise<void> => {
  const missing = new Set<number>();
  for (const { value } of records) {
    const id = schemaIdOf(value);
    if (id !== null && schemas.get(id) === undefined) missing.add(id);
  }
  for (const id of missing) await schemas.load(id);
};

const readAvroOf =
  (schemas: SchemaLookup | null): ReadAvro =>
  (id) => {
    if (schemas === null) return null;
    const reader = schemas.get(id);
    // It was there when the batch began, and its time here has run out: not the record's fault.
    if (reader === undefined)
      throw new OperatingError('REGISTRY_UNAVAILABLE', `schema id ${id} is not at hand any more`);
    return reader;
  };

const topicOf = (record: ConsumedRecord): InputTopic => {
  const topic = inputTopicOf(record.topic);
  if (topic === null) throw new TypeError(`${record.topic} is no input topic`);
  return topic;
};

/**
 * Reads each value once, where its seal holds: Avro or JSON by its first byte, then as a record of its topic. What is no record comes out as
 * Undecodable, in its place. Throws only where the registry cannot be asked (REGISTRY_UNAVAILABLE, retryable).
 */
export const decodeRecords = async (
  records: readonly ConsumedRecord[],
  { schemas, maxBytes, checkSeal }: DecodeOptions,
): Promise<(DecodedRecord | Undecodable)[]> => {
  if (schemas !== null) await loadSchemas(records, schemas);
  const readAvro = readAvroOf(schemas);
  return records.map((record): DecodedRecord | Undecodable => {
    const { topic, partition, offset, timestamp, key, value, headers } = record;
    const source = { topic, partition, offset };
    if (value !== null && value.length > maxBytes) {
      const reason = `value was ${value.length} bytes, should be at most ${maxBytes}`;
      return { source, timestamp, code: 'RECORD_TOO_LARGE', reason };
    }
    const input = topicOf(record);
    const refused = value === null ? null : checkSeal(input, value, headers[SEAL_HEADER], timestamp);
    if (refused !== null) return { source, timestamp, code: refused.code, reason: refused.reason };
    const read = decodeInput(value, input, readAvro);
    if (!read.ok) return { source, timestamp, code: read.code, reason: read.reason };
    return { source, timestamp, key: key === null ? null : utf8.decode(key), headers, record: read.record };
  });
};
