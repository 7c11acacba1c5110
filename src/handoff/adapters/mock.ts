import { majorText } from '../money.ts';
import { type CallOrLack, jsonCall, type RefundCall } from './call.ts';

/** A call that no provider takes: for tests of a payment service. Deterministic like the others. */
export const mockCall = ({ payment, minor, currency, idempotencyKey }: RefundCall): CallOrLack =>
  jsonCall(
    '/mock/refunds',
    { 'Idempotency-Key': idempotencyKey },
    { payment_id: payment.paymentId, amount: majorText(minor, currency), currency: currency.code },
  );
