import type { DeliveryHeaders } from '../adapter.ts';
import type { DOUBLED } from '../delivery-header.ts';
import { deliveryHeader, hintHeader } from '../delivery-header.ts';

/** A Shopify header by its last part, e.g. `topic`: the newer event deliveries print `shopify-topic` for `x-shopify-topic`. */
export const shopifyHeader = (headers: DeliveryHeaders, name: string): string | null | typeof DOUBLED =>
  deliveryHeader(headers, `x-shopify-${name}`) ?? deliveryHeader(headers, `shopify-${name}`);

export const shopifyHint = (headers: DeliveryHeaders, name: string): string | null =>
  hintHeader(headers, `x-shopify-${name}`) ?? hintHeader(headers, `shopify-${name}`);
