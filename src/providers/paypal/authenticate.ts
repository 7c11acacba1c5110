import { constants, verify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Authentication, Delivery, Refusal } from '../adapter.ts';
import { refused } from '../adapter.ts';
import { DOUBLED, deliveryHeader } from '../delivery-header.ts';
import type { PayPalEndpoint } from '../endpoint.ts';
import type { Certificate } from './certificate.ts';
import { isCertificateUrl } from './certificate-url.ts';
import { paypalSigners } from './signer.ts';

/** The webhook id that PayPal's simulator signs with: anyone can have it sign anything. */
export const SIMULATOR_WEBHOOK_ID = 'WEBHOOK_ID';

interface Transmission {
  readonly outcome: 'read';
  readonly id: string;
  readonly time: string;
  readonly signature: Buffer;
}

const header = (delivery: Delivery, name: string): { readonly outcome: 'read'; readonly text: string } | Refusal => {
  const value = deliveryHeader(delivery.headers, name);
  if (value === null) return refused('SIGNATURE_UNVERIFIABLE', `headers: ${name} is missing`);
  if (value === DOUBLED) return refused('SIGNATURE_INVALID', `headers: ${name} is given twice, differently`);
  return { outcome: 'read', text: value };
};

const readTransmission = (delivery: Delivery, endpoint: PayPalEndpoint): Transmission | Refusal => {
  const id = header(delivery, 'paypal-transmission-id');
  if (id.outcome === 'refused') return id;
  const time = header(delivery, 'paypal-transmission-time');
  if (time.outcome === 'refused') return time;
  const signature = header(delivery, 'paypal-transmission-sig');
  if (signature.outcome === 'refused') return signature;
  const algorithm = deliveryHeader(delivery.headers, 'paypal-auth-algo');
  if (algorithm !== null && algorithm !== 'SHA256withRSA') {
    return refused('SIGNATURE_INVALID', 'headers: paypal-auth-algo should be SHA256withRSA');
  }
  const url = deliveryHeader(delivery.headers, 'paypal-cert-url');
  // A pinned certificate needs no URL. One that is there and not PayPal's is no delivery of PayPal.
  if (url === null && endpoint.certificates.length === 0) {
    return refused('SIGNATURE_UNVERIFIABLE', 'headers: paypal-cert-url is missing');
  }
  if (url === DOUBLED || (url !== null && !isCertificateUrl(url))) {
    return refused(
      'SIGNATURE_INVALID',
      'headers: paypal-cert-url should be https://api.paypal.com/v1/notifications/certs/…',
    );
  }
  return { outcome: 'read', id: id.text, time: time.text, signature: Buffer.from(signature.text, 'base64') };
};

const isSignedBy = (signers: readonly Certificate[], signed: string, signature: Buffer): boolean => {
  const bytes = Buffer.from(signed);
  return signers.some(({ publicKey }) => {
    try {
      if (publicKey.asymmetricKeyType !== 'rsa') return false;
      return verify('sha256', bytes, { key: publicKey, padding: constants.RSA_PKCS1_PADDING }, signature);
    } catch {
      return false;
    }
  });
};

/**
 * RSA PKCS#1 v1.5 with SHA-256 over `transmission id|transmission time|webhook id|crc32 of the raw body` (unsigned, decimal),
 * by a certificate that is PayPal's. See developer.paypal.com/api/rest/webhooks/rest. The transmission id and time may change
 * on a redelivery; they prove nothing beyond the signature and are not used to dedupe.
 */
export const authenticatePayPal = (delivery: Delivery, endpoint: PayPalEndpoint, testMode: boolean): Authentication => {
  if (endpoint.webhookId === SIMULATOR_WEBHOOK_ID && !testMode) {
    return refused('SIMULATOR_EVENT', "webhook_id: WEBHOOK_ID is the simulator's, allowed in test_mode alone");
  }
  const transmission = readTransmission(delivery, endpoint);
  if (transmission.outcome === 'refused') return transmission;
  const signers = paypalSigners(endpoint, delivery.certificates, delivery.receivedAt);
  if ('outcome' in signers) return signers;
  const { id, time, signature } = transmission;
  const checksum = crc32(delivery.raw);
  if (isSignedBy(signers, `${id}|${time}|${endpoint.webhookId}|${checksum}`, signature))
    return { outcome: 'authentic' };
  if (isSignedBy(signers, `${id}|${time}|${SIMULATOR_WEBHOOK_ID}|${checksum}`, signature)) {
    if (testMode) return { outcome: 'authentic' };
    return refused('SIMULATOR_EVENT', "an event of PayPal's webhook simulator, allowed in test_mode alone");
  }
  return refused(
    'SIGNATURE_INVALID',
    'paypal-transmission-sig: not made by the certificate over this body and webhook_id',
  );
};
