import { majorText } from '../money.ts';
import { type CallOrLack, jsonCall, type RefundCall, shortened } from './call.ts';

const NOTE_MAX = 255;

/**
 * `POST /v2/payments/captures/{id}/refund` (Payments v2). The whole answer is asked for: the short one states no amount. The key is
 * the custom_id too, which PayPal prints on the refund and its events.
 */
export const paypalCall = ({ payment, minor, currency, reason, idempotencyKey }: RefundCall): CallOrLack =>
  jsonCall(
    `/v2/payments/captures/${encodeURIComponent(payment.paymentId)}/refund`,
    { 'PayPal-Request-Id': idempotencyKey, Prefer: 'return=representation' },
    {
      amount: { value: majorText(minor, currency), currency_code: currency.code },
      custom_id: idempotencyKey,
      note_to_payer: shortened(reason, NOTE_MAX),
    },
  );
