import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  bitString,
  commonName,
  pemOf,
  SHA256_WITH_RSA,
  sequence,
  tlv,
  utcTime,
} from '../../src/sandbox/certificates/der.ts';
import { seededRsaKey } from '../../src/sandbox/certificates/seeded-rsa.ts';
import { seededBytes } from './seeded.ts';

/** A self-signed certificate in PEM (RFC 5280, version 1). */
const selfSigned = (key: KeyObject, name: string, from: string, to: string): string => {
  const body = sequence(
    tlv(0x02, Buffer.from([1])),
    SHA256_WITH_RSA,
    commonName(name),
    sequence(utcTime(from), utcTime(to)),
    commonName(name),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
  );
  return pemOf(sequence(body, SHA256_WITH_RSA, bitString(sign('sha256', body, key))));
};

/** The key that stands for PayPal's in the demo (known to everyone), and its self-signed certificate in PEM, for pinning. */
export const demoCertificate = (): { readonly key: KeyObject; readonly pem: string } => {
  const key = seededRsaKey((name) => seededBytes(`paypal key ${name}`, 128));
  const pem = selfSigned(key, 'messageverificationcerts.paypal.com', '2026-01-01T00:00:00Z', '2036-01-01T00:00:00Z');
  return { key, pem };
};
