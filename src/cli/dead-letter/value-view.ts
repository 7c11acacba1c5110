import type { SchemaLookup } from '../../ports/schema-lookup.ts';
import { decodeValue, schemaIdOf } from '../../records/codec.ts';
import { printJson } from '../../records/json-text.ts';

/** A value's bytes as a person can read them. */
export type ValueView =
  | { readonly form: 'json' | 'avro'; readonly text: string }
  | { readonly form: 'text'; readonly text: string; readonly why: string }
  | { readonly form: 'bytes'; readonly base64: string; readonly why: string }
  | { readonly form: 'none' };

/** Decodes a value: JSON, Avro by the registry, else as text, else as base64. Throws REGISTRY_UNAVAILABLE. */
export const viewValue = async (value: Uint8Array | null, schemas: SchemaLookup | null): Promise<ValueView> => {
  if (value === null) return { form: 'none' };
  const id = schemaIdOf(value);
  if (id !== null) await schemas?.load(id);
  const decoded = decodeValue(value, (schemaId) => schemas?.get(schemaId) ?? null);
  if (decoded.ok) return { form: id === null ? 'json' : 'avro', text: printJson(decoded.value) };
  const bytes = Buffer.from(value);
  try {
    return { form: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), why: decoded.reason };
  } catch {
    return { form: 'bytes', base64: bytes.toString('base64'), why: decoded.reason };
  }
};
