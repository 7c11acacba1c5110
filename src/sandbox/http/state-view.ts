import type { Json } from '../../evaluator/index.ts';
import { isLive, type Payment, type Refund } from '../model.ts';
import { decimalOf } from '../money.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Answering } from './answering.ts';

const instant = (ms: number): string => new Date(ms).toISOString();

export const refundView = (refund: Refund): Json => {
  const { provider, id, payment, minor, createdAt, updatedAt, visibleAt, key, by, state, details } = refund;
  return {
    provider,
    id,
    payment: payment.id,
    amount: decimalOf(minor, payment.currency, provider),
    currency: payment.currency,
    state,
    live: isLive(refund),
    by,
    idempotency_key: key,
    details,
    created_at: instant(createdAt),
    updated_at: instant(updatedAt),
    visible_at: instant(visibleAt),
  };
};

export const paymentView = (payment: Payment): Json => {
  const { provider, account, id, orderId, minor, currency, createdAt, refunds, isReversed } = payment;
  return {
    provider,
    account,
    id,
    order_id: orderId,
    amount: decimalOf(minor, currency, provider),
    currency,
    created_at: instant(createdAt),
    reversed: isReversed,
    refunds: refunds.map(refundView),
  };
};

/** All there is: what the world holds, what was called, what was delivered. */
export const stateView = (sandbox: Sandbox, answering: Answering): Json => ({
  scenario: sandbox.scenario.name,
  seed: sandbox.scenario.seed,
  now: instant(sandbox.clock.now()),
  clock: sandbox.isManual ? 'manual' : 'running',
  planned: sandbox.planned,
  payments: sandbox.world.payments().map(paymentView),
  events: sandbox.outbox.events().map(({ id, type, provider, account, payment, at }) => ({
    id,
    type,
    provider,
    account,
    payment,
    at: instant(at),
  })),
  deliveries: sandbox.outbox.deliveries.map((delivery) => ({ ...delivery, at: instant(delivery.at) })),
  calls: answering.calls.map((call) => ({ ...call, at: instant(call.at) })),
});
