import type { Json, JsonObject } from '../../evaluator/index.ts';
import { type Payment, type Refund, refundedMinor } from '../model.ts';

const seconds = (ms: number): number => Math.floor(ms / 1000);

const whole = (minor: bigint): Json => (minor <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(minor) : minor);

const STATUS = { pending: 'pending', completed: 'succeeded', failed: 'failed', cancelled: 'canceled' } as const;

const intentOf = ({ id }: Payment): string => id.replace(/^ch_/, 'pi_');

/** The Refund object. */
export const refundOf = (refund: Refund): JsonObject => {
  const { payment, minor, state, createdAt, details } = refund;
  return {
    id: refund.id,
    object: 'refund',
    amount: whole(minor),
    balance_transaction: refund.id.replace(/^re_/, 'txn_'),
    charge: payment.id,
    created: seconds(createdAt),
    currency: payment.currency.toLowerCase(),
    destination_details: { card: { type: 'refund' }, type: 'card' },
    ...(state === 'failed' ? { failure_reason: 'expired_or_canceled_card' } : {}),
    metadata: {},
    payment_intent: intentOf(payment),
    ...(state === 'pending' ? { pending_reason: 'processing' } : {}),
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: STATUS[state],
    transfer_reversal: null,
    ...details,
  };
};

/** The Charge object; since API 2022-11-15 it lists no refunds unless asked to. */
export const chargeOf = (payment: Payment): JsonObject => {
  const refunded = refundedMinor(payment);
  return {
    id: payment.id,
    object: 'charge',
    amount: whole(payment.minor),
    amount_captured: whole(payment.minor),
    amount_refunded: whole(refunded),
    captured: true,
    created: seconds(payment.createdAt),
    currency: payment.currency.toLowerCase(),
    disputed: payment.isReversed,
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: intentOf(payment),
    refunded: refunded === payment.minor,
    status: 'succeeded',
  };
};
