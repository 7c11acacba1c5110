import { generateKeyPairSync } from 'node:crypto';
import { type Identity, issueIdentity } from '../../src/sandbox/certificates/identity.ts';

export type { Identity };

export interface IdentityGiven {
  readonly name: string;
  /** self-made without one */
  readonly issuer?: Identity;
  readonly isAuthority?: boolean;
  readonly from?: string;
  readonly to?: string;
}

let serial = 0;

/** A certificate with a new key. Valid for 2026 unless told otherwise. */
export const identity = ({ name, issuer, isAuthority = false, from, to }: IdentityGiven): Identity => {
  serial += 1;
  return issueIdentity({
    name,
    issuer,
    isAuthority,
    serial,
    privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
    from: from ?? '2026-01-01T00:00:00Z',
    to: to ?? '2026-12-31T23:59:59Z',
  });
};
