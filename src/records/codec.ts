import { isUtf8 } from 'node:buffer';
import type { Json } from '../evaluator/index.ts';
import { fromAvroShape } from './from-avro.ts';
import { MAX_JSON_LENGTH, printJson, readJsonText } from './json-text.ts';
import { type ParsedInput, parseInputRecord } from './parse.ts';
import { type Refusal, refuseText } from './refusal.ts';
import type { InputTopic } from './topics.ts';

/** The wire format's first byte, before a four-byte schema id. */
export const MAGIC_BYTE = 0x00;
const HEADER_LENGTH = 5;
const OPEN_OBJECT = 0x7b;

/** What decodes a schema's bytes: null where the registry does not know the id. */
export type ReadAvro = (schemaId: number) => { read(bytes: Uint8Array): unknown } | null;

/** Nothing here has a registry: every Avro value is SCHEMA_UNKNOWN. */
export const NO_REGISTRY: ReadAvro = () => null;

export type DecodeRefusal = Omit<Refusal, 'code'> & { readonly code: Refusal['code'] | 'SCHEMA_UNKNOWN' };
export type DecodedValue = { readonly ok: true; readonly value: Json } | DecodeRefusal;

/** The registry's id of the schema that wrote the value; null where the value is not in the wire format. */
export const schemaIdOf = (bytes: Uint8Array | null): number | null => {
  if (bytes === null || bytes[0] !== MAGIC_BYTE || bytes.length < HEADER_LENGTH) return null;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(1);
};

/**
 * Decodes a Kafka value by its first byte: 0x00 is Avro in the Confluent wire format, `{` is JSON, whoever wrote it. Total.
 *
 * @param bytes null for a tombstone
 */
export const decodeValue = (bytes: Uint8Array | null, readAvro: ReadAvro): DecodedValue => {
  if (bytes === null || bytes.length === 0) return malformed('value was empty, should be a record');
  if (bytes.length > MAX_JSON_LENGTH) {
    const reason = `value was ${bytes.length} bytes, should be at most ${MAX_JSON_LENGTH}`;
    return { ok: false, code: 'RECORD_TOO_LARGE', reason, field: '' };
  }
  if (bytes[0] === OPEN_OBJECT) return decodeJson(bytes);
  if (bytes[0] === MAGIC_BYTE) return decodeAvro(bytes, readAvro);
  const first = `0x${Buffer.from(bytes.subarray(0, 1)).toString('hex')}`;
  return malformed(`value begins with byte ${first}, should begin with 0x00 (Avro) or { (JSON)`);
};

/** Decodes a Kafka value and reads it as an input record of its topic. Total. */
export const decodeInput = (
  bytes: Uint8Array | null,
  topic: InputTopic,
  readAvro: ReadAvro,
): ParsedInput | DecodeRefusal => {
  const decoded = decodeValue(bytes, readAvro);
  return decoded.ok ? parseInputRecord(decoded.value, topic) : decoded;
};

/** A record as JSON bytes. */
export const encodeJson = (record: object): Buffer => Buffer.from(printJson(record as Json), 'utf8');

const decodeJson = (bytes: Uint8Array): DecodedValue => {
  if (!isUtf8(bytes)) return malformed('value was not UTF-8, should be UTF-8 JSON');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const read = readJsonText(text);
  return read.ok ? read : refuseText('', read.error);
};

const decodeAvro = (bytes: Uint8Array, readAvro: ReadAvro): DecodedValue => {
  const id = schemaIdOf(bytes);
  if (id === null) return malformed(`value was ${bytes.length} bytes of Avro, should have a schema id in bytes 1 to 4`);
  const reader = readAvro(id);
  if (reader === null) {
    return { ok: false, code: 'SCHEMA_UNKNOWN', reason: `schema id ${id} is not known to the registry`, field: '' };
  }
  let decoded: unknown;
  try {
    decoded = reader.read(bytes.subarray(HEADER_LENGTH));
  } catch (error) {
    return malformed(`value was not what schema id ${id} writes: ${String(error)}`);
  }
  return fromAvroShape(decoded);
};

const malformed = (reason: string): DecodeRefusal => ({ ok: false, code: 'RECORD_MALFORMED', reason, field: '' });
