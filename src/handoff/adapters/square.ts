import { type CallOrLack, jsonCall, type RefundCall, shortened } from './call.ts';

const VERSION = '2026-08-19';
const REASON_MAX = 192;

/** `POST /v2/refunds` (RefundPayment). Square reads the key from the body, and takes 45 characters of it. */
export const squareCall = ({ payment, minor, currency, reason, idempotencyKey }: RefundCall): CallOrLack =>
  jsonCall(
    '/v2/refunds',
    { 'Square-Version': VERSION },
    {
      idempotency_key: idempotencyKey,
      payment_id: payment.paymentId,
      amount_money: { amount: Number(minor), currency: currency.code },
      reason: shortened(reason, REASON_MAX),
    },
  );
