/** Lines of a record log about PayPal refunds, in the forms of the record reference. Times are seconds after noon. */

const NOON = Date.parse('2026-09-01T12:00:00.000Z');
const iso = (seconds: number): string => new Date(NOON + seconds * 1000).toISOString();
const wholeSecond = (seconds: number): string => `${iso(seconds).slice(0, 19)}Z`;

export interface RefundGiven {
  readonly refund: string;
  readonly capture?: string;
  readonly amount?: string;
  readonly status?: string;
  readonly created?: number;
}

export const CAPTURE = '3C679366HH908993R';

const resource = ({ refund, capture = CAPTURE, amount = '10.00', status = 'COMPLETED', created = 1 }: RefundGiven) => ({
  id: refund,
  status,
  amount: { currency_code: 'USD', value: amount },
  create_time: wholeSecond(created),
  update_time: wholeSecond(created),
  links: [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${capture}` }],
});

const line = (topic: string, value: object): string => JSON.stringify({ topic, value });
const base = { provider: 'paypal', account: 'merchant-1' };

export const started = (operation: string, seconds: number, capture = CAPTURE, amount = '10.00'): string =>
  line('operation-started', {
    kind: 'operation.started',
    operation_id: operation,
    ...base,
    contract: { id: 'paypal.refund.completed' },
    created_at: iso(seconds),
    input: { capture_id: capture, amount, currency_code: 'USD' },
  });

export const acted = (operation: string, seconds: number, refund: RefundGiven): string =>
  line('operation-started', {
    kind: 'operation.acted',
    operation_id: operation,
    ...base,
    payment_id: refund.capture ?? CAPTURE,
    action: { result: resource(refund), completed_at: iso(seconds) },
  });

export const webhook = (event: string, seconds: number, refund: RefundGiven): string =>
  line('webhook-received', {
    kind: 'webhook.received',
    ...base,
    endpoint: 'default',
    headers: {},
    body: JSON.stringify({
      id: event,
      event_type: 'PAYMENT.CAPTURE.REFUNDED',
      create_time: iso(seconds),
      resource: resource(refund),
    }),
    received_at: iso(seconds),
  });

export const read = (operation: string, seconds: number, refund: RefundGiven): string =>
  line('readback-result', {
    kind: 'readback.result',
    operation_id: operation,
    ...base,
    payment_id: refund.capture ?? CAPTURE,
    channel: 'refund_readback',
    attempt: 1,
    observed_at: iso(seconds),
    outcome: 'ok',
    http_status: 200,
    body: JSON.stringify(resource(refund)),
  });

/** A refund that is made, seen by event and by readback, and is right. */
export const settled = (operation: string, refund: string, capture = CAPTURE): string[] => [
  started(operation, 0, capture),
  acted(operation, 1.5, { refund, capture }),
  webhook(`WH-${refund}`, 4, { refund, capture }),
  read(operation, 30, { refund, capture }),
];
