import type { ProviderAdapter } from '../adapter.ts';
import { shown } from '../adapter.ts';
import { shopifyAction, shopifyAnswer, shopifyErrorCode } from './answer.ts';
import { authenticateShopify } from './authenticate.ts';
import { shopifyHint } from './delivery-headers.ts';
import { shopifyEvent } from './normalise.ts';

/** Shopify: refundCreate on an order, webhook REFUNDS_CREATE. */
export const shopify: ProviderAdapter = {
  provider: 'shopify',
  paymentField: 'order_id',
  authenticate: (delivery, endpoint) => {
    if (endpoint.provider !== 'shopify') throw new TypeError('a Shopify delivery needs a Shopify endpoint');
    return authenticateShopify(delivery, endpoint);
  },
  tenantMismatch: (_body, headers, endpoint) => {
    if (endpoint.provider !== 'shopify' || endpoint.shopDomain === null) return null;
    const shop = shopifyHint(headers, 'shop-domain');
    if (shop?.toLowerCase() === endpoint.shopDomain.toLowerCase()) return null;
    return `headers.x-shopify-shop-domain: was ${shown(shop ?? undefined)}, should be ${shown(endpoint.shopDomain)}`;
  },
  event: shopifyEvent,
  answer: shopifyAnswer,
  action: shopifyAction,
  errorCode: shopifyErrorCode,
};
