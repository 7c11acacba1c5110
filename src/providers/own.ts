import { decimalText } from '../evaluator/decimal.ts';
import type { Json, JsonObject } from '../evaluator/index.ts';
import { isJsonObject } from '../evaluator/index.ts';

/*
 * Reads of a parsed provider body. Own properties only: a body may well have a member named `__proto__` or `constructor`.
 * What is longer than any provider prints counts as missing, so that a hostile body cannot grow the state.
 */

const TEXT_MAX = 255;

/** The member `key`; undefined where `value` is no object or has none. */
export const own = (value: Json | undefined, key: string): Json | undefined =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export const ownObject = (value: Json | undefined, key: string): JsonObject | null => {
  const member = own(value, key);
  return isJsonObject(member) ? member : null;
};

/** Empty where it is no list. */
export const ownList = (value: Json | undefined, key: string): readonly Json[] => {
  const member = own(value, key);
  return Array.isArray(member) ? (member as readonly Json[]) : [];
};

/** A non-empty string of at most 255 characters, else null. */
export const ownText = (value: Json | undefined, key: string): string | null => textOf(own(value, key));

export const textOf = (value: Json | undefined): string | null =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_MAX ? value : null;

/** The decimal text of a number or string member, in the provider's own form. */
export const ownDecimal = (value: Json | undefined, key: string): string | null => {
  const text = decimalText(own(value, key));
  return text === null || text === '' || text.length > 40 ? null : text;
};

/** The caller-chosen values among `values`: at most ten, so that state stays small. */
export const echoesOf = (values: readonly (string | null)[]): readonly string[] => {
  const echoes: string[] = [];
  for (const value of values) if (value !== null && echoes.length < 10 && !echoes.includes(value)) echoes.push(value);
  return echoes;
};
