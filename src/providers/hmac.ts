import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochMs } from '../evaluator/index.ts';
import type { Authentication, RawBody } from './adapter.ts';
import { refused } from './adapter.ts';
import type { Secret } from './endpoint.ts';

/** Compares in a time that depends on the lengths alone. */
export const equalInConstantTime = (left: string, right: string): boolean => {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
};

/** HMAC-SHA256 of `prefix` and the raw body, one after the other. */
export const hmacSha256 = (secret: string, prefix: string, raw: RawBody, encoding: 'base64' | 'hex'): string => {
  const hmac = createHmac('sha256', secret);
  if (prefix !== '') hmac.update(prefix);
  return hmac.update(raw).digest(encoding);
};

const isInForce = (secret: Secret, at: EpochMs): boolean =>
  (secret.fromMs === null || secret.fromMs <= at) && (secret.toMs === null || at < secret.toMs);

/**
 * Tries every secret in force at `at`. None in force: the signature cannot be checked, which is not the same as forged.
 * `where` names the header for the reason.
 */
export const verifyWithAnySecret = (
  secrets: readonly Secret[],
  at: EpochMs,
  where: string,
  matches: (secret: string) => boolean,
): Authentication => {
  let isAnyInForce = false;
  let isMatched = false;
  for (const secret of secrets) {
    if (!isInForce(secret, at)) continue;
    isAnyInForce = true;
    if (matches(secret.value)) {
      isMatched = true;
      break;
    }
  }
  if (isMatched) return { outcome: 'authentic' };
  if (!isAnyInForce) {
    const when = new Date(at).toISOString();
    return refused('SIGNATURE_UNVERIFIABLE', `no secret of the endpoint was in force at received_at ${when}`);
  }
  return refused('SIGNATURE_INVALID', `${where}: no secret in force made this signature over this body`);
};
