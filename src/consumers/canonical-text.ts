import type { Json } from '../evaluator/index.ts';

/** JSON text with sorted keys, for digests: two texts are equal where the values are, whatever the order of their keys. */
export const canonicalText = (value: Json | undefined): string => {
  if (value === undefined) return 'null';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalText).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member as Json)}`).join(',')}}`;
};
