import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync, sign } from 'node:crypto';

/*
 * X.509 certificates for tests, written out in DER (RFC 5280): subject and issuer of one common name, a validity, the basic
 * constraints, and an RSA signature with SHA-256.
 */

const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const SHA256_WITH_RSA = sequence(oid('2a864886f70d01010b'), tlv(0x05));

const name = (commonName: string): Buffer =>
  sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(commonName)))));

/** UTCTime: `260901120000Z` */
const time = (instant: string): Buffer =>
  tlv(0x17, Buffer.from(`${new Date(instant).toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`));

const basicConstraints = (isAuthority: boolean): Buffer => {
  const content = isAuthority ? sequence(tlv(0x01, Buffer.from([0xff]))) : sequence();
  const critical = tlv(0x01, Buffer.from([0xff]));
  return tlv(0xa3, sequence(sequence(oid('551d13'), critical, tlv(0x04, content))));
};

export interface Identity {
  readonly name: string;
  readonly pem: string;
  readonly privateKey: KeyObject;
}

export interface IdentityGiven {
  readonly name: string;
  /** self-made without one */
  readonly issuer?: Identity;
  readonly isAuthority?: boolean;
  readonly from?: string;
  readonly to?: string;
}

let serial = 0;

/** A certificate with its key. Valid for 2026 unless told otherwise. */
export const identity = (given: IdentityGiven): Identity => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  serial += 1;
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([serial])),
    SHA256_WITH_RSA,
    name(given.issuer?.name ?? given.name),
    sequence(time(given.from ?? '2026-01-01T00:00:00Z'), time(given.to ?? '2026-12-31T23:59:59Z')),
    name(given.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    basicConstraints(given.isAuthority === true),
  );
  const signature = sign('sha256', body, given.issuer?.privateKey ?? privateKey);
  const der = sequence(body, SHA256_WITH_RSA, tlv(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  return { name: given.name, pem, privateKey };
};
