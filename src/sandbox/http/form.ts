import type { Json, JsonObject } from '../../evaluator/index.ts';
import { isJsonObject } from '../../evaluator/index.ts';
import { readJsonText } from '../../records/json-text.ts';

/** The JSON object that a request's body is; null where it is none. An empty body is an empty object. */
export const jsonBody = (text: string): JsonObject | null => {
  if (text.trim() === '') return {};
  const read = readJsonText(text);
  return read.ok && isJsonObject(read.value) ? read.value : null;
};

export const member = (value: Json | undefined, key: string): Json | undefined =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export const textMember = (value: Json | undefined, key: string): string | null => {
  const found = member(value, key);
  return typeof found === 'string' && found !== '' ? found : null;
};

/** The members that are texts, of those named. */
export const textsOf = (value: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (typeof value[key] === 'string' ? [[key, value[key]]] : [])));

/** `Bearer …` of an Authorization header. */
export const bearerOf = (header: string | null): string | null => /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1] ?? null;

/** User and password of a Basic Authorization header. */
export const basicOf = (header: string | null): { readonly user: string; readonly password: string } | null => {
  const encoded = /^Basic\s+(\S+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) };
};
