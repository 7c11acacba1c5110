import { sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Delivery, RawBody } from '../../src/providers/adapter.ts';
import type { Endpoint } from '../../src/providers/index.ts';
import type { Identity } from './certificate-der.ts';
import { RECEIVED } from './deliveries.ts';

export const SIGNER = 'messageverificationcerts.paypal.com';
export const WEBHOOK = '8PT597110X687430LKGECATA';

export const paypalEndpoint = (
  given: Partial<Endpoint & { provider: 'paypal' }> = {},
): Endpoint & { provider: 'paypal' } => ({
  provider: 'paypal',
  account: 'merchant-1',
  accountField: null,
  endpoint: 'default',
  webhookId: WEBHOOK,
  certificates: [],
  ca: [],
  ...given,
});

export interface Signing {
  readonly by: Identity;
  readonly webhookId?: string;
  readonly headers?: Record<string, string | undefined>;
  readonly certificates?: readonly string[];
  readonly receivedAt?: number;
}

/** A delivery signed as PayPal signs; a header given as undefined is left out. */
export const paypalDelivery = (raw: RawBody, signing: Signing): Delivery => {
  const signed = `tx-1|2026-09-01T12:00:04Z|${signing.webhookId ?? WEBHOOK}|${crc32(raw)}`;
  const headers: Record<string, string | undefined> = {
    'PAYPAL-TRANSMISSION-ID': 'tx-1',
    'PAYPAL-TRANSMISSION-TIME': '2026-09-01T12:00:04Z',
    'PAYPAL-TRANSMISSION-SIG': sign('sha256', Buffer.from(signed), signing.by.privateKey).toString('base64'),
    'PAYPAL-CERT-URL': 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1a5f47cb',
    'PAYPAL-AUTH-ALGO': 'SHA256withRSA',
    ...signing.headers,
  };
  return {
    raw,
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    receivedAt: signing.receivedAt ?? RECEIVED,
    certificates: signing.certificates ?? [signing.by.pem],
  };
};

export const paypalBody = (resource: Record<string, unknown> = {}, envelope: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id: 'WH-1',
    event_version: '1.0',
    create_time: '2026-09-01T12:00:04.120Z',
    resource_type: 'refund',
    event_type: 'PAYMENT.CAPTURE.REFUNDED',
    resource: {
      id: '1JU08902781691411',
      amount: { value: '10.00', currency_code: 'USD' },
      status: 'COMPLETED',
      custom_id: 'op-1',
      create_time: '2026-09-01T05:00:01-07:00',
      update_time: '2026-09-01T05:00:03-07:00',
      links: [
        { rel: 'self', href: 'https://api.paypal.com/v2/payments/refunds/1JU08902781691411' },
        { rel: 'up', href: 'https://api.paypal.com/v2/payments/captures/3C679366HH908993R' },
      ],
      ...resource,
    },
    ...envelope,
  });
