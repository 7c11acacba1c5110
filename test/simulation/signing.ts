import { sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { EpochMs, ProviderName } from '../../src/evaluator/index.ts';
import type { Endpoint } from '../../src/providers/index.ts';
import { type Identity, identity } from '../support/certificate-der.ts';
import { hmac, shopifyEndpoint, squareEndpoint, stripeEndpoint } from '../support/deliveries.ts';
import { paypalEndpoint, SIGNER, WEBHOOK } from '../support/paypal-deliveries.ts';

let made: { readonly authority: Identity; readonly signer: Identity } | null = null;

/** One key a process: no verdict depends on it. */
const paypalKeys = (): { readonly authority: Identity; readonly signer: Identity } => {
  if (made === null) {
    const authority = identity({ name: 'DigiCert Test CA', isAuthority: true });
    made = { authority, signer: identity({ name: SIGNER, issuer: authority }) };
  }
  return made;
};

/** The endpoints of `merchant-1`, whose secrets the simulated providers sign with. */
export const signedEndpoints = (): Endpoint[] => [
  paypalEndpoint({ certificates: [paypalKeys().signer.pem], ca: [paypalKeys().authority.pem] }),
  squareEndpoint(),
  shopifyEndpoint(),
  stripeEndpoint(),
];

/** The headers that prove a raw body, as each provider makes them. With a key that is not the provider's: a forgery. */
export const signatureHeaders = (
  provider: ProviderName,
  raw: string,
  receivedAt: EpochMs,
  isForged: boolean,
): Record<string, string> => {
  const key = (own: string): string => (isForged ? 'a-key-of-somebody-else' : own);
  switch (provider) {
    case 'paypal': {
      const time = new Date(receivedAt - 300).toISOString();
      const signed = `tx-${crc32(raw)}|${time}|${isForged ? 'somebody-elses' : WEBHOOK}|${crc32(raw)}`;
      return {
        'paypal-transmission-id': `tx-${crc32(raw)}`,
        'paypal-transmission-time': time,
        'paypal-transmission-sig': sign('sha256', Buffer.from(signed), paypalKeys().signer.privateKey).toString(
          'base64',
        ),
        'paypal-cert-url': 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1a5f47cb',
        'paypal-auth-algo': 'SHA256withRSA',
      };
    }
    case 'square':
      return {
        'x-square-hmacsha256-signature': hmac(
          key('square-key'),
          `https://pay.example/webhooks/square/default${raw}`,
          'base64',
        ),
      };
    case 'shopify':
      return { 'x-shopify-hmac-sha256': hmac(key('app-secret'), raw, 'base64') };
    case 'stripe': {
      const seconds = Math.floor(receivedAt / 1000);
      return { 'stripe-signature': `t=${seconds},v1=${hmac(key('whsec_1'), `${seconds}.${raw}`, 'hex')}` };
    }
  }
};
