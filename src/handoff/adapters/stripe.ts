import type { CallOrLack, RefundCall } from './call.ts';

/** `POST /v1/refunds` (docs.stripe.com/api/refunds/create). The key stands in the metadata too, so that the provider prints it. */
export const stripeCall = ({ payment, minor, idempotencyKey }: RefundCall): CallOrLack => ({
  method: 'POST',
  path: '/v1/refunds',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Idempotency-Key': idempotencyKey },
  body: new URLSearchParams({
    charge: payment.paymentId,
    amount: minor.toString(),
    'metadata[countersign_key]': idempotencyKey,
  }).toString(),
});
