/**
 * A parsed JSON value. Integers of more than 15 digits are `bigint`, so that a Shopify id or an int64 amount is never
 * rounded (see `records/json-text.ts`).
 */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The record's own member: ids and channel names come from outside, and `constructor` is one like any other. */
export const own = <T>(record: { readonly [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** JSON's own name of a value's type: what "across JSON types" means. */
export const jsonType = (value: Json): 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'bigint') return 'number';
  return type as 'boolean' | 'number' | 'string' | 'object';
};
