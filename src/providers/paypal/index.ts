import type { ProviderAdapter } from '../adapter.ts';
import { authenticatePayPal } from './authenticate.ts';
import { paypalAction, paypalAnswer, paypalErrorCode, paypalEvent } from './normalise.ts';

export { isCertificateUrl } from './certificate-url.ts';

/** PayPal: Payments v2 refunds of a capture. The signature covers the webhook id, and so the tenant. */
export const paypal: ProviderAdapter = {
  provider: 'paypal',
  paymentField: 'capture_id',
  authenticate: (delivery, endpoint, testMode) => {
    if (endpoint.provider !== 'paypal') throw new TypeError('a PayPal delivery needs a PayPal endpoint');
    return authenticatePayPal(delivery, endpoint, testMode);
  },
  tenantMismatch: () => null,
  event: paypalEvent,
  answer: paypalAnswer,
  action: paypalAction,
  errorCode: paypalErrorCode,
};
