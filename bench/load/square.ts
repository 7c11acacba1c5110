import { iso, type LoadRefund, type ProviderLoad, type Status } from './provider-load.ts';

const STATUS = { settled: 'COMPLETED', pending: 'PENDING', failed: 'FAILED' } as const;

const resource = (refund: LoadRefund, status: Status, updatedAt: number): object => ({
  amount_money: { amount: refund.minor, currency: 'USD' },
  created_at: iso(refund.createdAt),
  destination_type: 'CARD',
  id: refund.id,
  location_id: 'L88917AVBK2S5',
  order_id: `${refund.payment.slice(0, 22)}order`,
  payment_id: refund.payment,
  processing_fee: [
    { amount_money: { amount: -34, currency: 'USD' }, effective_at: iso(refund.createdAt), type: 'INITIAL' },
  ],
  reason: 'returned by the customer',
  status: STATUS[status],
  updated_at: iso(updatedAt),
});

export const squareLoad: ProviderLoad = {
  provider: 'square',
  account: 'merchant-2',
  contract: 'square.refund.completed',
  paymentId: (random) => random.mixedId(29),
  refundId: (random, payment) => `${payment}_${random.mixedId(43)}`,
  input: (payment, minor) => ({ payment_id: payment, amount: minor, currency: 'USD' }),
  result: (refund) => ({ refund: resource(refund, 'pending', refund.createdAt) }),
  readback: (refund, status, updatedAt) => JSON.stringify({ refund: resource(refund, status, updatedAt) }),
  webhook: (refund, status, updatedAt, eventId) => ({
    headers: { 'x-square-hmacsha256-signature': '2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=' },
    body: JSON.stringify({
      created_at: iso(updatedAt),
      data: {
        id: refund.id,
        object: {
          refund: { ...resource(refund, status, updatedAt), version: updatedAt === refund.createdAt ? 4 : 10 },
        },
        type: 'refund',
      },
      event_id: eventId,
      merchant_id: '6SSW7HV8K2ST5',
      type: updatedAt === refund.createdAt ? 'refund.created' : 'refund.updated',
    }),
  }),
};
