import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { bitString, commonName, oid, pemOf, SHA256_WITH_RSA, sequence, tlv, utcTime } from './der.ts';

/** A certificate with its private key. */
export interface Identity {
  readonly name: string;
  readonly pem: string;
  readonly privateKey: KeyObject;
}

export interface IdentityGiven {
  readonly name: string;
  /** RSA */
  readonly privateKey: KeyObject;
  /** self-made without one */
  readonly issuer?: Identity | undefined;
  readonly isAuthority: boolean;
  /** RFC 3339, both */
  readonly from: string;
  readonly to: string;
  readonly serial: number;
}

const basicConstraints = (isAuthority: boolean): Buffer => {
  const content = isAuthority ? sequence(tlv(0x01, Buffer.from([0xff]))) : sequence();
  const critical = tlv(0x01, Buffer.from([0xff]));
  return tlv(0xa3, sequence(sequence(oid('551d13'), critical, tlv(0x04, content))));
};

/**
 * Writes an X.509 certificate (RFC 5280, version 3): subject and issuer of one common name, a validity, the basic constraints,
 * and an RSA signature with SHA-256. For a stand-in and for tests; no public authority would sign it.
 */
export const issueIdentity = (given: IdentityGiven): Identity => {
  const { name, privateKey, issuer, serial } = given;
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([serial])),
    SHA256_WITH_RSA,
    commonName(issuer?.name ?? name),
    sequence(utcTime(given.from), utcTime(given.to)),
    commonName(name),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    basicConstraints(given.isAuthority),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  return { name, pem: pemOf(sequence(body, SHA256_WITH_RSA, bitString(signature))), privateKey };
};
