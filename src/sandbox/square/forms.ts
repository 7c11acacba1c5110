import type { Json, JsonObject } from '../../evaluator/index.ts';
import { completedMinor, type Payment, type Refund, visibleRefunds } from '../model.ts';

/** An int64 as it is printed: whole, however large. */
const whole = (minor: bigint): Json => (minor <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(minor) : minor);

const money = (minor: bigint, currency: string): JsonObject => ({ amount: whole(minor), currency });

const STATUS = { pending: 'PENDING', completed: 'COMPLETED', failed: 'FAILED', cancelled: 'REJECTED' } as const;

const printTime = (ms: number): string => new Date(ms).toISOString();

/** The PaymentRefund object. */
export const refundOf = (refund: Refund): JsonObject => {
  const { payment, minor, state, createdAt, updatedAt, details } = refund;
  return {
    id: refund.id,
    status: STATUS[state],
    amount_money: money(minor, payment.currency),
    payment_id: payment.id,
    order_id: payment.orderId,
    location_id: 'L88917AVBK2S5',
    destination_type: 'CARD',
    unlinked: false,
    created_at: printTime(createdAt),
    updated_at: printTime(updatedAt),
    ...details,
  };
};

/** The Payment object, with the refunds that are to be seen by now. */
export const paymentOf = (payment: Payment, now: number): JsonObject => {
  const refunds = visibleRefunds(payment, now);
  return {
    id: payment.id,
    status: 'COMPLETED',
    source_type: 'CARD',
    amount_money: money(payment.minor, payment.currency),
    total_money: money(payment.minor, payment.currency),
    ...(refunds.length === 0
      ? {}
      : { refunded_money: money(completedMinor(payment), payment.currency), refund_ids: refunds.map(({ id }) => id) }),
    order_id: payment.orderId,
    location_id: 'L88917AVBK2S5',
    created_at: printTime(payment.createdAt),
    updated_at: printTime(refunds.at(-1)?.updatedAt ?? payment.createdAt),
  };
};
