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

export const inputExamples = () => [
  startedExample(),
  actedExample(),
  webhookExample(),
  readbackExample(),
  reviewExample(),
];
