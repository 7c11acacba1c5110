import type { LoadRefund, ProviderLoad, Status } from './provider-load.ts';

const STATUS = { settled: 'succeeded', pending: 'pending', failed: 'failed' } as const;

const seconds = (ms: number): number => Math.floor(ms / 1000);

const resource = (refund: LoadRefund, status: Status): object => ({
  id: refund.id,
  object: 'refund',
  amount: refund.minor,
  balance_transaction: null,
  charge: refund.payment,
  created: seconds(refund.createdAt),
  currency: 'usd',
  customer: null,
  destination_details: { card: { type: 'reversal' }, type: 'card' },
  metadata: { operation_id: refund.operation },
  payment_intent: null,
  payment_method: null,
  reason: 'requested_by_customer',
  receipt_number: null,
  source_transfer_reversal: null,
  status: STATUS[status],
  transfer_reversal: null,
});

export const stripeLoad: ProviderLoad = {
  provider: 'stripe',
  account: 'merchant-4',
  contract: 'stripe.refund.succeeded',
  paymentId: (random) => `ch_${random.mixedId(24)}`,
  refundId: (random) => `re_${random.mixedId(24)}`,
  input: (payment, minor) => ({ charge_id: payment, amount: minor, currency: 'usd' }),
  result: (refund, status) => resource(refund, status),
  readback: (refund, status) => JSON.stringify(resource(refund, status)),
  webhook: (refund, status, updatedAt, eventId) => ({
    headers: { 'stripe-signature': `t=${seconds(updatedAt)},v1=${'5257a869e7ecebeda32affa62cdca3fa'.repeat(2)}` },
    body: JSON.stringify({
      id: `evt_${eventId.slice(0, 24)}`,
      object: 'event',
      api_version: '2025-04-30.basil',
      created: seconds(updatedAt),
      data: { object: resource(refund, status) },
      livemode: true,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type:
        status === 'failed' ? 'refund.failed' : updatedAt === refund.createdAt ? 'refund.created' : 'refund.updated',
    }),
  }),
};
