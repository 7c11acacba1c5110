import type { DeliveryHeaders } from './adapter.ts';

/** A header that stands twice with different values: which one the provider sent cannot be known. */
export const DOUBLED = Symbol('a header given twice with different values');

/**
 * The trimmed value of the header `name` (given in lower case), whatever the case of the record's names; null where it is
 * missing or blank.
 */
export const deliveryHeader = (headers: DeliveryHeaders, name: string): string | null | typeof DOUBLED => {
  let found: string | null = null;
  for (const key in headers) {
    if (key.length !== name.length || !Object.hasOwn(headers, key)) continue;
    if (key !== name && key.toLowerCase() !== name) continue;
    const value = headers[key];
    if (typeof value !== 'string') continue;
    const text = value.trim();
    if (text === '') continue;
    if (found !== null && found !== text) return DOUBLED;
    found = text;
  }
  return found;
};

/** The same for a header that is no more than a hint: doubled counts as missing. */
export const hintHeader = (headers: DeliveryHeaders, name: string): string | null => {
  const value = deliveryHeader(headers, name);
  return value === DOUBLED ? null : value;
};
