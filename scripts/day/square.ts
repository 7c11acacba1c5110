import { createHmac } from 'node:crypto';
import { iso, type Kit, type Refund } from './kit.ts';
import { seededMixed } from './seeded.ts';

export const SQUARE_SIGNATURE_KEY = 'demo-square-signature-key';
export const SQUARE_NOTIFICATION_URL = 'https://gateway.example/webhooks/square';

const STATUS = { settled: 'COMPLETED', pending: 'PENDING', failed: 'FAILED' } as const;

const resource = (refund: Refund): object => ({
  id: refund.id,
  status: STATUS[refund.status],
  amount_money: { amount: refund.minor, currency: refund.currency },
  payment_id: refund.payment,
  order_id: seededMixed(`square order ${refund.payment}`, 22),
  location_id: 'LDEMO0000CAFE',
  destination_type: 'CARD',
  created_at: iso(refund.createdAt),
  updated_at: iso(refund.updatedAt),
});

export const squareKit: Kit = {
  provider: 'square',
  account: 'cafe-berlin',
  contract: 'square.refund.completed',
  paymentId: (name) => seededMixed(`square payment ${name}`, 28),
  refundId: (name, payment) => `${payment}_${seededMixed(`square refund ${name}`, 44)}`,
  input: (payment, minor, currency) => ({ payment_id: payment, amount: minor, currency }),
  result: (refund) => ({ refund: resource(refund) }),
  readback: (refund) => JSON.stringify({ refund: resource(refund) }),
  deliver: (refund, event) => {
    const body = JSON.stringify({
      merchant_id: 'MLDEMO0000CAFE',
      type: refund.updatedAt === refund.createdAt ? 'refund.created' : 'refund.updated',
      event_id: seededMixed(`square event ${event}`, 24),
      created_at: iso(refund.updatedAt),
      data: {
        type: 'refund',
        id: refund.id,
        object: { refund: { ...resource(refund), version: refund.status === 'pending' ? 4 : 7 } },
      },
    });
    const signature = createHmac('sha256', SQUARE_SIGNATURE_KEY)
      .update(SQUARE_NOTIFICATION_URL + body)
      .digest('base64');
    return { body, headers: { 'x-square-hmacsha256-signature': signature } };
  },
};
