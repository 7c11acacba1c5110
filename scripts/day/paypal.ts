import { type KeyObject, sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { decimal, iso, isoSeconds, type Kit, type Refund } from './kit.ts';
import { seededId } from './seeded.ts';

export const PAYPAL_WEBHOOK_ID = '8PT597110X687430L';

const STATUS = { settled: 'COMPLETED', pending: 'PENDING', failed: 'FAILED' } as const;
const EVENT = {
  settled: 'PAYMENT.CAPTURE.REFUNDED',
  pending: 'PAYMENT.REFUND.PENDING',
  failed: 'PAYMENT.REFUND.FAILED',
} as const;

const resource = (refund: Refund): object => ({
  id: refund.id,
  amount: { currency_code: refund.currency, value: decimal(refund.minor) },
  custom_id: refund.operation,
  status: STATUS[refund.status],
  create_time: isoSeconds(refund.createdAt),
  update_time: isoSeconds(refund.updatedAt),
  links: [
    { href: `https://api.paypal.com/v2/payments/refunds/${refund.id}`, rel: 'self', method: 'GET' },
    { href: `https://api.paypal.com/v2/payments/captures/${refund.payment}`, rel: 'up', method: 'GET' },
  ],
});

/** PayPal, its events signed with `key`. */
export const paypalKit = (key: KeyObject): Kit => ({
  provider: 'paypal',
  account: 'books-eu',
  contract: 'paypal.refund.completed',
  paymentId: (name) => seededId(`paypal capture ${name}`, 17),
  refundId: (name) => seededId(`paypal refund ${name}`, 17),
  input: (payment, minor, currency) => ({ capture_id: payment, amount: decimal(minor), currency_code: currency }),
  result: resource,
  readback: (refund) => JSON.stringify(resource(refund)),
  deliver: (refund, event, at) => {
    const body = JSON.stringify({
      id: `WH-${seededId(`paypal event ${event}`, 17)}`,
      event_version: '1.0',
      create_time: iso(refund.updatedAt + 700),
      resource_type: 'refund',
      resource_version: '2.0',
      event_type: EVENT[refund.status],
      summary: `A $ ${decimal(refund.minor)} ${refund.currency} capture payment was refunded`,
      resource: resource(refund),
    });
    const id = seededId(`paypal transmission ${event} ${at}`, 32).toLowerCase();
    const time = isoSeconds(at);
    const signed = `${id}|${time}|${PAYPAL_WEBHOOK_ID}|${crc32(Buffer.from(body))}`;
    return {
      body,
      headers: {
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-cert-url': 'https://api.paypal.com/v1/notifications/certs/CERT-demo',
        'paypal-transmission-id': id,
        'paypal-transmission-time': time,
        'paypal-transmission-sig': sign('sha256', Buffer.from(signed), key).toString('base64'),
      },
    };
  },
});
