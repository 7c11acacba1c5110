import { checkPrimeSync, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { seededBytes } from './seeded.ts';

const EXPONENT = 65537n;

const toBigInt = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

const prime = (name: string): bigint => {
  const bytes = seededBytes(name, 128);
  bytes[0] = (bytes[0] ?? 0) | 0xc0;
  let candidate = toBigInt(bytes) | 1n;
  while ((candidate - 1n) % EXPONENT === 0n || !checkPrimeSync(candidate)) candidate += 2n;
  return candidate;
};

const inverse = (value: bigint, modulus: bigint): bigint => {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = a / b;
    [a, b] = [b, a % b];
    [x, y] = [y, x - quotient * y];
  }
  return x < 0n ? x + modulus : x;
};

const base64url = (value: bigint): string => {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
};

/** An RSA key made from a name and so known to everyone: it signs the demo's PayPal events and must never sign anything else. */
const demoKey = (): KeyObject => {
  const p = prime('paypal key p');
  const q = prime('paypal key q');
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  const jwk = {
    kty: 'RSA',
    n: base64url(p * q),
    e: base64url(EXPONENT),
    d: base64url(d),
    p: base64url(p),
    q: base64url(q),
    dp: base64url(d % (p - 1n)),
    dq: base64url(d % (q - 1n)),
    qi: base64url(inverse(q, p)),
  };
  return createPrivateKey({ key: jwk, format: 'jwk' });
};

const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));

/** A self-signed certificate in DER (RFC 5280, version 1). */
const selfSigned = (key: KeyObject, commonName: string, from: string, to: string): Buffer => {
  const algorithm = sequence(oid('2a864886f70d01010b'), tlv(0x05));
  const name = sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(commonName)))));
  const body = sequence(
    tlv(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(tlv(0x17, Buffer.from(from)), tlv(0x17, Buffer.from(to))),
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
  );
  return sequence(body, algorithm, tlv(0x03, Buffer.from([0]), sign('sha256', body, key)));
};

/** The key that stands for PayPal's in the demo, and its self-signed certificate in PEM, for pinning. */
export const demoCertificate = (): { readonly key: KeyObject; readonly pem: string } => {
  const key = demoKey();
  const der = selfSigned(key, 'messageverificationcerts.paypal.com', '260101000000Z', '360101000000Z');
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return { key, pem: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n` };
};
