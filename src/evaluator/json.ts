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

/**
 * The record with one more member, or another value of it. Without a prototype it is a dictionary from the start: for members
 * whose names are ids the engine would make a shape of its own for each, and keep it until its next full collection.
 */
export const withMember = <T>(record: { readonly [key: string]: T }, key: string, value: T): { [key: string]: T } => {
  const members: { [key: string]: T } = Object.create(null);
  for (const name in record) members[name] = record[name] as T;
  members[key] = value;
  return members;
};

/** JSON's own name of a value's type: what "across JSON types" means. */
export const jsonType = (value: Json): 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'bigint') return 'number';
  return type as 'boolean' | 'number' | 'string' | 'object';
};
