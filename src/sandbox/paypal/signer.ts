import { sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AccountOf } from '../account.ts';
import { type Identity, issueIdentity } from '../certificates/identity.ts';
import { seededRsaKey } from '../certificates/seeded-rsa.ts';
import type { Draw } from '../draw.ts';
import type { Attempt, SandboxEvent } from '../stand.ts';

export interface PayPalSigner {
  /** what `PAYPAL-CERT-URL` ends in */
  readonly certificateId: string;
  /** PEM: what signs */
  readonly certificate: string;
  /** PEM: who issued it */
  readonly authority: string;
  headers(event: SandboxEvent, account: AccountOf<'paypal'>, attempt: Attempt): Readonly<Record<string, string>>;
}

const VALID = { from: '2020-01-01T00:00:00Z', to: '2049-12-31T23:59:59Z' };

/** Making a key takes a third of a second: once a seed is enough. */
const made = new Map<number, PayPalSigner>();

/**
 * Signs as PayPal does: RSA with SHA-256 over `id|time|webhook id|crc32 of the body`. Key and certificates are made from the
 * seed, so that a configuration which was printed once stays right.
 */
export const payPalSigner = (draw: Draw): PayPalSigner => {
  const known = made.get(draw.seed) ?? makeSigner(draw);
  made.set(draw.seed, known);
  return known;
};

const makeSigner = (draw: Draw): PayPalSigner => {
  const keyOf = (name: string) => seededRsaKey((part) => draw.bytes(`${name}/${part}`, 128));
  const authority: Identity = issueIdentity({
    name: 'Countersign Sandbox CA',
    privateKey: keyOf('paypal authority'),
    isAuthority: true,
    serial: 1,
    ...VALID,
  });
  const signer = issueIdentity({
    name: 'messageverificationcerts.sandbox.paypal.com',
    privateKey: keyOf('paypal signer'),
    issuer: authority,
    isAuthority: false,
    serial: 2,
    ...VALID,
  });
  const certificateId = `CERT-${draw
    .bytes('paypal certificate', 12)
    .toString('hex')
    .replace(/(.{8})(.{8})(.{8})/, '$1-$2-$3')}`;
  return {
    certificateId,
    certificate: signer.pem,
    authority: authority.pem,
    headers: ({ body }, { webhookId }, { name, now }) => {
      const id = draw.uuid(name);
      const time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
      const signature = sign('sha256', Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`), signer.privateKey);
      return {
        'paypal-transmission-id': id,
        'paypal-transmission-time': time,
        'paypal-transmission-sig': signature.toString('base64'),
        // PayPal's own host, as the signature's rules want it; the certificate itself is served here under the same path.
        'paypal-cert-url': `https://api.sandbox.paypal.com/v1/notifications/certs/${certificateId}`,
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-auth-version': 'v2',
      };
    },
  };
};
