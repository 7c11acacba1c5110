import type { Json, JsonObject } from '../evaluator/index.ts';

/** JSON text with sorted keys, for digests: two texts are equal where the values are, whatever the order of their keys. */
export const canonicalText = (value: Json | undefined): string => {
  if (value === undefined) return 'null';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const element of value as readonly Json[]) text += `${text === '' ? '' : ','}${canonicalText(element)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalText((value as JsonObject)[key])}`;
  }
  return `{${text}}`;
};
