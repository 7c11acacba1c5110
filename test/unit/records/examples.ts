/** One good record of each kind, as plain JSON. Each call gives fresh objects. */
export const startedExample = () => ({
  kind: 'operation.started',
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  contract: { id: 'paypal.refund.completed', version: '1.0.0' },
  created_at: '2026-09-01T12:00:00.350Z',
  idempotency_key: 'op-1',
  input: { capture_id: '3C679366HH908993R', amount: '10.00', currency_code: 'USD' },
});

export const actedExample = () => ({
  kind: 'operation.acted',
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  payment_id: '3C679366HH908993R',
  action: { result: { id: '1JU08902781691411', status: 'PENDING' }, completed_at: '2026-09-01T12:00:01.550Z' },
});

export const webhookExample = () => ({
  kind: 'webhook.received',
  provider: 'square',
  account: 'merchant-1',
  endpoint: 'default',
  headers: { 'x-square-hmacsha256-signature': 'c2lnbmF0dXJl' },
  body: '{"merchant_id":"M1"}',
  received_at: '2026-09-01T12:00:04.350Z',
});

export const readbackExample = () => ({
  kind: 'readback.result',
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  payment_id: '3C679366HH908993R',
  channel: 'refund_readback',
  purpose: 'poll',
  resource_id: '1JU08902781691411',
  attempt: 1,
  requested_at: '2026-09-01T12:00:05Z',
  observed_at: '2026-09-01T12:00:05.1+02:00',
  outcome: 'ok',
  http_status: 200,
  body: '{"id":"1JU08902781691411"}',
});

export const reviewExample = () => ({
  kind: 'review.decided',
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  payment_id: '3C679366HH908993R',
  answers: 'paypal:merchant-1:3C679366HH908993R/op-1:2',
  decision: 'VERIFIED',
  reason: 'the dashboard shows it',
  reviewer: 'ada',
  decided_at: '2026-09-02T08:00:00Z',
});

const receiptExample = {
  provider: 'stripe',
  account: 'shop-1',
  payment_id: 'ch_1',
  receipt: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
  received_at: '2026-09-01T09:00:00Z',
};

export const chargeReceiptExample = () => ({ kind: 'charge.receipt', ...receiptExample, receipt_ref: 'rcpt-1' });

export const refundReceiptExample = () => ({
  kind: 'refund.receipt',
  ...receiptExample,
  receipt_ref: 'rcpt-2',
  charge_ref: 'rcpt-1',
});

export const handoffRequestedExample = () => ({
  kind: 'handoff.requested',
  provider: 'stripe',
  account: 'shop-1',
  payment_id: 'ch_1',
  charge_ref: 'rcpt-1',
  amount: '20.00',
  currency: 'AUD',
  reason: 'one of two returned',
  rail: 'stripe',
  counterparty: 'cus_1',
  authority: 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJyaXNrIiwiaWQiOiJhdXRoLTEifQ.c2ln',
  requested_at: '2026-09-01T12:00:00Z',
});

export const handoffBoundExample = () => ({
  kind: 'handoff.bound',
  provider: 'stripe',
  account: 'shop-1',
  payment_id: 'ch_1',
  request: handoffRequestedExample(),
  bound_to: { payment_key: 'stripe:shop-1:ch_1', request_digest: 'ab'.repeat(32) },
  source: { topic: 'handoff-requested', partition: 0, offset: '4' },
  requested_at: '2026-09-01T12:00:00Z',
});

export const inputExamples = () => [
  startedExample(),
  actedExample(),
  webhookExample(),
  readbackExample(),
  reviewExample(),
  chargeReceiptExample(),
  refundReceiptExample(),
  handoffRequestedExample(),
  handoffBoundExample(),
];
