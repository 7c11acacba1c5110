import type { Authentication, Delivery } from '../adapter.ts';
import { refused } from '../adapter.ts';
import { DOUBLED, deliveryHeader } from '../delivery-header.ts';
import type { SquareEndpoint } from '../endpoint.ts';
import { equalInConstantTime, hmacSha256, verifyWithAnySecret } from '../hmac.ts';

const HEADER = 'x-square-hmacsha256-signature';

/**
 * `base64(HMAC-SHA256(signature key, notification URL + raw body))`, as developer.squareup.com/docs/webhooks has it. Square
 * still sends an HMAC-SHA1 under `x-square-signature`; it proves nothing here and is not looked at.
 */
export const authenticateSquare = (delivery: Delivery, endpoint: SquareEndpoint): Authentication => {
  const signature = deliveryHeader(delivery.headers, HEADER);
  if (signature === null) return refused('SIGNATURE_UNVERIFIABLE', `headers: ${HEADER} is missing`);
  if (signature === DOUBLED) return refused('SIGNATURE_INVALID', `headers: ${HEADER} is given twice, differently`);
  return verifyWithAnySecret(endpoint.signatureKeys, delivery.receivedAt, HEADER, (key) =>
    equalInConstantTime(hmacSha256(key, endpoint.notificationUrl, delivery.raw, 'base64'), signature),
  );
};
