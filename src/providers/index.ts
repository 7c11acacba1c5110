import type { ProviderName } from '../evaluator/index.ts';
import type { ProviderAdapter } from './adapter.ts';
import { paypal } from './paypal/index.ts';
import { shopify } from './shopify/index.ts';
import { square } from './square/index.ts';
import { stripe } from './stripe/index.ts';

export type { DeliveryHeaders, ProviderAdapter, RawBody } from './adapter.ts';
export type { Endpoint, PayPalEndpoint, Secret, ShopifyEndpoint, SquareEndpoint, StripeEndpoint } from './endpoint.ts';

/** The adapter of each provider. */
export const PROVIDERS: Readonly<Record<ProviderName, ProviderAdapter>> = { paypal, square, shopify, stripe };
