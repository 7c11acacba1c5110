import type { Json, JsonObject } from '../evaluator/index.ts';

/**
 * The canonical JSON of RFC 8785: two texts are equal where the values are, whatever the order of their keys. An integer that
 * no double holds, for which the RFC has no form, is printed with all its digits; so it is not what the RFC's libraries do.
 */
export const canonicalText = (value: Json | undefined): string => {
  if (value === undefined) return 'null';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const element of value as readonly Json[]) text += `${text === '' ? '' : ','}${canonicalText(element)}`;
    return `[${text}]`;
  }
  for (const key of sorted(Object.keys(value))) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalText((value as JsonObject)[key])}`;
  }
  return `{${text}}`;
};

/** Most of what is printed has its keys in order already. */
const sorted = (keys: string[]): string[] => {
  for (let index = 1; index < keys.length; index += 1) {
    if ((keys[index - 1] as string) > (keys[index] as string)) return keys.sort();
  }
  return keys;
};
