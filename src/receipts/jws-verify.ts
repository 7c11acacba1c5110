import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';

/** A public JSON Web Key (RFC 7517), as a JWKS holds it. */
export type PublicJwk = JsonWebKey & {
  readonly kid?: string | undefined;
  readonly alg?: string | undefined;
  readonly use?: string | undefined;
};

/** What a signature's algorithm needs of its key, and how Node names it. */
interface Algorithm {
  readonly kty: string;
  readonly crv: string | null;
  readonly digest: string | null;
  /** JWS writes ECDSA signatures as r and s side by side, not as DER */
  readonly isEcdsa: boolean;
}

/** RFC 7518 and RFC 8037. Nothing symmetric, and never `none`: who checks must not be able to sign. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['EdDSA', { kty: 'OKP', crv: 'Ed25519', digest: null, isEcdsa: false }],
  ['ES256', { kty: 'EC', crv: 'P-256', digest: 'sha256', isEcdsa: true }],
  ['RS256', { kty: 'RSA', crv: null, digest: 'sha256', isEcdsa: false }],
]);

/** One key, ready to verify with. */
interface VerifyingKey {
  readonly jwk: PublicJwk;
  readonly key: KeyObject;
}

/** Key id → key. */
export type VerifyingKeys = ReadonlyMap<string, VerifyingKey>;

/** A key that cannot be used, and why. Says nothing of its content. */
export class KeyUnusable extends Error {
  override readonly name = 'KeyUnusable';
}

const verifyingKey = (jwk: PublicJwk): VerifyingKey => {
  if ('d' in jwk || jwk.kty === 'oct') throw new KeyUnusable('holds a private key, should hold the public one alone');
  try {
    return { jwk, key: createPublicKey({ format: 'jwk', key: jwk }) };
  } catch {
    throw new KeyUnusable(`is no public key of kty ${String(jwk.kty)}`);
  }
};

/**
 * The keys of a JWKS by their ids.
 *
 * @throws KeyUnusable for a private key, one that cannot be read, one without a `kid` and two of one `kid`
 */
export const verifyingKeys = (jwks: readonly PublicJwk[]): VerifyingKeys => {
  const keys = new Map<string, VerifyingKey>();
  for (const jwk of jwks) {
    const { kid } = jwk;
    if (typeof kid !== 'string' || kid === '') throw new KeyUnusable('has no kid, by which a signature names it');
    if (keys.has(kid)) throw new KeyUnusable(`has the kid ${kid} twice`);
    keys.set(kid, verifyingKey(jwk));
  }
  return keys;
};

/** A signed text that was checked, or why it was not taken. */
export type JwsReading =
  | { readonly ok: true; readonly kid: string; readonly payload: string }
  | { readonly ok: false; readonly why: string };

const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)$/;

/** Longer than any of ours; a longer one is not worth its check. */
const JWS_CHARS_MAX = 65_536;

const refuse = (why: string): JwsReading => ({ ok: false, why });

const headerOf = (encoded: string): Record<string, unknown> | null => {
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null && !Array.isArray(header)
      ? (header as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};

const isFor = ({ jwk }: VerifyingKey, name: string, algorithm: Algorithm): boolean =>
  jwk.kty === algorithm.kty &&
  (algorithm.crv === null || jwk.crv === algorithm.crv) &&
  (jwk.alg === undefined || jwk.alg === name) &&
  (jwk.use === undefined || jwk.use === 'sig');

/** The payload's bytes and the signature exactly as base64url writes them: no second spelling of one signature. */
const isCanonical = (encoded: string): boolean => Buffer.from(encoded, 'base64url').toString('base64url') === encoded;

/**
 * Checks a JWS in compact form (RFC 7515) against keys by their `kid`. At once and without a promise, since records are admitted
 * between two awaits; Node's own verification does that, where Web Crypto (and with it every JOSE library) does not. Total.
 */
export const verifyCompactJws = (jws: string, keys: VerifyingKeys): JwsReading => {
  if (jws.length > JWS_CHARS_MAX) return refuse(`it has ${jws.length} characters, more than ${JWS_CHARS_MAX}`);
  const [, protectedHeader = '', payload = '', signature = ''] = COMPACT.exec(jws) ?? [];
  if (protectedHeader === '') return refuse('it is no JWS in compact form');
  const header = headerOf(protectedHeader);
  if (header === null) return refuse('its header is no JSON object');
  const { alg, kid, crit, b64 } = header;
  const algorithm = typeof alg === 'string' ? ALGORITHMS.get(alg) : undefined;
  if (typeof alg !== 'string' || algorithm === undefined)
    return refuse(`its alg is ${JSON.stringify(alg ?? null)}, should be one of ${[...ALGORITHMS.keys()].join(', ')}`);
  if (crit !== undefined || b64 !== undefined) return refuse('its header asks for an extension that is not known');
  const key = typeof kid === 'string' ? keys.get(kid) : undefined;
  if (typeof kid !== 'string' || key === undefined)
    return refuse(`its kid ${JSON.stringify(kid ?? null).slice(0, 100)} names no key of the issuer`);
  if (!isFor(key, alg, algorithm)) return refuse(`the key ${kid} is not one for ${alg}`);
  if (![protectedHeader, payload, signature].every(isCanonical))
    return refuse('it is not written in base64url as it must be');
  const signed = Buffer.from(`${protectedHeader}.${payload}`, 'ascii');
  const bytes = Buffer.from(signature, 'base64url');
  const verifier = algorithm.isEcdsa ? { key: key.key, dsaEncoding: 'ieee-p1363' as const } : key.key;
  if (!verify(algorithm.digest, signed, verifier, bytes)) return refuse('its signature does not match');
  return { ok: true, kid, payload: Buffer.from(payload, 'base64url').toString('utf8') };
};
