import type { ProviderAdapter } from '../adapter.ts';
import { shown } from '../adapter.ts';
import { own } from '../own.ts';
import { authenticateStripe } from './authenticate.ts';
import { stripeAction, stripeAnswer, stripeErrorCode, stripeEvent } from './normalise.ts';

/** Stripe: refunds of a charge. */
export const stripe: ProviderAdapter = {
  provider: 'stripe',
  paymentField: 'charge_id',
  authenticate: (delivery, endpoint) => {
    if (endpoint.provider !== 'stripe') throw new TypeError('a Stripe delivery needs a Stripe endpoint');
    return authenticateStripe(delivery, endpoint);
  },
  tenantMismatch: (body, _headers, endpoint) => {
    if (endpoint.provider !== 'stripe' || endpoint.connectedAccount === null) return null;
    const account = own(body, 'account');
    if (account === endpoint.connectedAccount) return null;
    return `account: was ${shown(account)}, should be ${shown(endpoint.connectedAccount)}`;
  },
  event: stripeEvent,
  answer: stripeAnswer,
  action: stripeAction,
  errorCode: stripeErrorCode,
};
