import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** An Ed25519 key that is the same on every machine, by its name. */
export interface FixedKey {
  readonly kid: string;
  readonly x: string;
  readonly d: string;
  /** a JWS in compact form over the claims */
  readonly sign: (claims: object) => string;
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export const fixedKey = (kid: string): FixedKey => {
  const secret = createHash('sha256').update(`simulated key ${kid}`).digest();
  const privateKey: KeyObject = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return {
    kid,
    x: x ?? '',
    d: secret.toString('base64url'),
    sign: (claims) => {
      const text = `${encode({ alg: 'EdDSA', kid })}.${encode(claims)}`;
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
    },
  };
};
