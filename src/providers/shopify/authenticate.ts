import type { Authentication, Delivery } from '../adapter.ts';
import { refused } from '../adapter.ts';
import { DOUBLED } from '../delivery-header.ts';
import type { ShopifyEndpoint } from '../endpoint.ts';
import { equalInConstantTime, hmacSha256, verifyWithAnySecret } from '../hmac.ts';
import { shopifyHeader } from './delivery-headers.ts';

const HEADER = 'x-shopify-hmac-sha256';

/**
 * `base64(HMAC-SHA256(app secret, raw body))`. It covers the body alone: no time, no topic, no shop. Replays are met by dedupe,
 * the shop by the endpoint's `shop_domain`.
 */
export const authenticateShopify = (delivery: Delivery, endpoint: ShopifyEndpoint): Authentication => {
  const signature = shopifyHeader(delivery.headers, 'hmac-sha256');
  if (signature === null) return refused('SIGNATURE_UNVERIFIABLE', `headers: ${HEADER} is missing`);
  if (signature === DOUBLED) return refused('SIGNATURE_INVALID', `headers: ${HEADER} is given twice, differently`);
  return verifyWithAnySecret(endpoint.secrets, delivery.receivedAt, HEADER, (secret) =>
    equalInConstantTime(hmacSha256(secret, '', delivery.raw, 'base64'), signature),
  );
};
