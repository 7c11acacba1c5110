import type { Authentication, Delivery } from '../adapter.ts';
import { refused } from '../adapter.ts';
import { DOUBLED, deliveryHeader } from '../delivery-header.ts';
import type { StripeEndpoint } from '../endpoint.ts';
import { equalInConstantTime, hmacSha256, verifyWithAnySecret } from '../hmac.ts';

const HEADER = 'stripe-signature';
/** Stripe signs once for each active secret: two while one is rolled. */
const SIGNATURES_MAX = 10;

interface SignatureHeader {
  readonly timestamp: string;
  readonly signatures: readonly string[];
}

const parseHeader = (text: string): SignatureHeader | null => {
  let timestamp: string | null = null;
  const signatures: string[] = [];
  for (const part of text.split(',', 4 * SIGNATURES_MAX)) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    if (name === 't') {
      if (timestamp !== null && timestamp !== value) return null;
      timestamp = value;
    } else if (name === 'v1' && signatures.length < SIGNATURES_MAX) signatures.push(value);
  }
  if (timestamp === null || !/^\d{1,12}$/.test(timestamp) || signatures.length === 0) return null;
  return { timestamp, signatures };
};

/**
 * `Stripe-Signature: t=…,v1=<hex HMAC-SHA256(secret, "t.body")>`; several v1 are allowed, other schemes are not looked at.
 * The signed time may lie at most the tolerance from `received_at`, to either side: stripe-node looks at the past alone,
 * which lets a delivery be held back for a later moment.
 */
export const authenticateStripe = (delivery: Delivery, endpoint: StripeEndpoint): Authentication => {
  const text = deliveryHeader(delivery.headers, HEADER);
  if (text === null) return refused('SIGNATURE_UNVERIFIABLE', `headers: ${HEADER} is missing`);
  const header = text === DOUBLED ? null : parseHeader(text);
  if (header === null) {
    return refused('SIGNATURE_INVALID', `headers: ${HEADER} should be t=<unix seconds>,v1=<hex>, given once`);
  }
  const { timestamp, signatures } = header;
  const answer = verifyWithAnySecret(endpoint.secrets, delivery.receivedAt, HEADER, (secret) => {
    const expected = hmacSha256(secret, `${timestamp}.`, delivery.raw, 'hex');
    let isMatched = false;
    for (const signature of signatures) isMatched = equalInConstantTime(expected, signature) || isMatched;
    return isMatched;
  });
  if (answer.outcome === 'refused') return answer;
  const offSeconds = Math.abs(Math.floor(delivery.receivedAt / 1000) - Number(timestamp));
  if (offSeconds <= endpoint.toleranceSeconds) return answer;
  return refused(
    'SIGNATURE_INVALID',
    `${HEADER}: signed ${offSeconds} s from received_at, should be within ${endpoint.toleranceSeconds} s`,
  );
};
