import type { ProviderAdapter } from '../adapter.ts';
import { shown } from '../adapter.ts';
import { own } from '../own.ts';
import { authenticateSquare } from './authenticate.ts';
import { squareAction, squareAnswer, squareErrorCode, squareEvent } from './normalise.ts';

/** Square: RefundPayment, webhooks refund.created and refund.updated. */
export const square: ProviderAdapter = {
  provider: 'square',
  paymentField: 'payment_id',
  authenticate: (delivery, endpoint) => {
    if (endpoint.provider !== 'square') throw new TypeError('a Square delivery needs a Square endpoint');
    return authenticateSquare(delivery, endpoint);
  },
  tenantMismatch: (body, _headers, endpoint) => {
    if (endpoint.provider !== 'square' || endpoint.merchantId === null) return null;
    const merchant = own(body, 'merchant_id');
    if (merchant === endpoint.merchantId) return null;
    return `merchant_id: was ${shown(merchant)}, should be ${shown(endpoint.merchantId)}`;
  },
  event: squareEvent,
  answer: squareAnswer,
  action: squareAction,
  errorCode: squareErrorCode,
};
