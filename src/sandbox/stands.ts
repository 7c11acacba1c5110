import type { ProviderName } from '../evaluator/index.ts';
import { createPayPalStand, type PayPalStand } from './paypal/stand.ts';
import { createShopifyStand } from './shopify/stand.ts';
import { createSquareStand } from './square/stand.ts';
import type { Stand, StandTools } from './stand.ts';
import { createStripeStand } from './stripe/stand.ts';

export interface Stands {
  readonly paypal: PayPalStand;
  readonly square: Stand<'square'>;
  readonly shopify: Stand<'shopify'>;
  readonly stripe: Stand<'stripe'>;
}

export const createStands = (tools: StandTools): Stands & { readonly [Name in ProviderName]: Stand<Name> } => ({
  paypal: createPayPalStand(tools),
  square: createSquareStand(tools),
  shopify: createShopifyStand(tools),
  stripe: createStripeStand(tools),
});
