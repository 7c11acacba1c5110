import type { AdapterCall, ProviderName } from '../../evaluator/index.ts';
import type { Rail } from '../rails.ts';
import type { CallOrLack, RefundCall } from './call.ts';
import { mockCall } from './mock.ts';
import { paypalCall } from './paypal.ts';
import { shopifyCall } from './shopify.ts';
import { squareCall } from './square.ts';
import { stripeCall } from './stripe.ts';

export type { RefundCall } from './call.ts';

const CALLS: Readonly<Record<ProviderName, (call: RefundCall) => CallOrLack>> = {
  paypal: paypalCall,
  square: squareCall,
  shopify: shopifyCall,
  stripe: stripeCall,
};

/** The exact call that makes the refund. A charge that came by MPP is given back by the provider that settled it: MPP has no call of its own. */
export const adapterCall = (rail: Rail, call: RefundCall): AdapterCall | { readonly lacks: string } => {
  const made = rail === 'mock' ? mockCall(call) : CALLS[call.payment.provider](call);
  return 'lacks' in made ? made : { rail, ...made };
};
