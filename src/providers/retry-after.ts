import type { EpochMs } from '../evaluator/index.ts';

/** A longer wait than this is no rate limit but a mistake; the contract's own clock may ask again before. */
const LONGEST_MS = 86_400_000;

/**
 * The `Retry-After` header as milliseconds from now (RFC 9110 §10.2.3: seconds, or an HTTP date); null where it is missing or
 * says nothing.
 */
export const retryAfterMs = (header: string | undefined, now: EpochMs): number | null => {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d{1,15}(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), LONGEST_MS);
  // Only the forms that the RFC knows: Date.parse alone would read almost anything.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), LONGEST_MS);
};
