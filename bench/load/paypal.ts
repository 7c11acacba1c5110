import { decimal, iso, isoSeconds, type LoadRefund, type ProviderLoad, type Status } from './provider-load.ts';

const STATUS = { settled: 'COMPLETED', pending: 'PENDING', failed: 'FAILED' } as const;
const EVENT = {
  settled: 'PAYMENT.CAPTURE.REFUNDED',
  pending: 'PAYMENT.REFUND.PENDING',
  failed: 'PAYMENT.REFUND.FAILED',
} as const;

const money = (minor: number): object => ({ currency_code: 'USD', value: decimal(minor) });

const resource = (refund: LoadRefund, status: Status, updatedAt: number): object => ({
  id: refund.id,
  amount: money(refund.minor),
  seller_payable_breakdown: {
    gross_amount: money(refund.minor),
    paypal_fee: money(2),
    net_amount: money(refund.minor - 2),
    total_refunded_amount: money(refund.minor),
  },
  custom_id: refund.operation,
  status: STATUS[status],
  create_time: isoSeconds(refund.createdAt),
  update_time: isoSeconds(updatedAt),
  links: [
    { href: `https://api.paypal.com/v2/payments/refunds/${refund.id}`, rel: 'self', method: 'GET' },
    { href: `https://api.paypal.com/v2/payments/captures/${refund.payment}`, rel: 'up', method: 'GET' },
  ],
});

export const paypalLoad: ProviderLoad = {
  provider: 'paypal',
  account: 'merchant-1',
  contract: 'paypal.refund.completed',
  paymentId: (random) => random.id(17),
  refundId: (random) => random.id(17),
  input: (payment, minor) => ({ capture_id: payment, amount: decimal(minor), currency_code: 'USD' }),
  result: (refund, status) => resource(refund, status, refund.createdAt),
  readback: (refund, status, updatedAt) => JSON.stringify(resource(refund, status, updatedAt)),
  webhook: (refund, status, updatedAt, eventId) => {
    const id = `WH-${eventId.slice(0, 17)}-${eventId.slice(-17)}`.toUpperCase();
    const event = `https://api.paypal.com/v1/notifications/webhooks-events/${id}`;
    const body = JSON.stringify({
      id,
      event_version: '1.0',
      create_time: iso(updatedAt + 700),
      resource_type: 'refund',
      resource_version: '2.0',
      event_type: EVENT[status],
      summary: `A $ ${decimal(refund.minor)} USD capture payment was refunded`,
      resource: resource(refund, status, updatedAt),
      links: [
        { href: event, rel: 'self', method: 'GET' },
        { href: `${event}/resend`, rel: 'resend', method: 'POST' },
      ],
    });
    const headers = {
      'paypal-auth-algo': 'SHA256withRSA',
      'paypal-cert-url': 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1a5f47cb',
      'paypal-transmission-id': eventId,
      'paypal-transmission-time': isoSeconds(updatedAt),
      'paypal-transmission-sig': SIGNATURE,
    };
    return { headers, body };
  },
};

/** The length of a 2048-bit signature; the log is replayed with the gateway trusted. */
const SIGNATURE = `${'kyEB7XTmFZyBEKIJAVSxD2/e'.repeat(14)}OZk2Qw==`;
