import { createHmac } from 'node:crypto';
import type { Kit, Refund } from './kit.ts';
import { seededMixed } from './seeded.ts';

export const STRIPE_SECRET = 'whsec_demo_stripe_endpoint_secret';

const STATUS = { settled: 'succeeded', pending: 'pending', failed: 'failed' } as const;

const seconds = (ms: number): number => Math.floor(ms / 1000);

const resource = (refund: Refund): object => ({
  id: refund.id,
  object: 'refund',
  amount: refund.minor,
  charge: refund.payment,
  created: seconds(refund.createdAt),
  currency: refund.currency.toLowerCase(),
  metadata: { operation_id: refund.operation },
  reason: 'requested_by_customer',
  status: STATUS[refund.status],
});

export const stripeKit: Kit = {
  provider: 'stripe',
  account: 'travel-us',
  contract: 'stripe.refund.succeeded',
  paymentId: (name) => `ch_${seededMixed(`stripe charge ${name}`, 24)}`,
  refundId: (name) => `re_${seededMixed(`stripe refund ${name}`, 24)}`,
  input: (payment, minor, currency) => ({ charge_id: payment, amount: minor, currency: currency.toLowerCase() }),
  result: resource,
  readback: (refund) => JSON.stringify(resource(refund)),
  deliver: (refund, event, at) => {
    const isFirst = refund.updatedAt === refund.createdAt;
    const body = JSON.stringify({
      id: `evt_${seededMixed(`stripe event ${event}`, 24)}`,
      object: 'event',
      api_version: '2025-04-30.basil',
      created: seconds(refund.updatedAt),
      type: refund.status === 'failed' ? 'refund.failed' : isFirst ? 'refund.created' : 'refund.updated',
      data: { object: resource(refund) },
    });
    const time = seconds(at);
    const signature = createHmac('sha256', STRIPE_SECRET).update(`${time}.${body}`).digest('hex');
    return { body, headers: { 'stripe-signature': `t=${time},v1=${signature}` } };
  },
};
