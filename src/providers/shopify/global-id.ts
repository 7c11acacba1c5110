import type { Json } from '../../evaluator/index.ts';

/**
 * `gid://shopify/<type>/<n>` of a REST id. Shopify's ids exceed 2^53, so a number is believed only where no digit can have
 * been lost; a larger one arrives as a bigint.
 */
export const globalId = (type: string, id: Json | undefined): string | null => {
  if (typeof id === 'bigint') return id > 0n ? `gid://shopify/${type}/${id}` : null;
  if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0 ? `gid://shopify/${type}/${id}` : null;
  if (typeof id !== 'string' || id.length > 255) return null;
  if (/^\d+$/.test(id)) return `gid://shopify/${type}/${id}`;
  return id.startsWith(`gid://shopify/${type}/`) ? id : null;
};
