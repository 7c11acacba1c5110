import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { API_SCOPES, ApiKeyConfig } from '../../config/gateway.ts';

export type ApiScope = (typeof API_SCOPES)[number];

/** Who has shown a key, and what it may do. */
export interface ApiClient {
  readonly id: string;
  readonly scopes: ReadonlySet<ApiScope>;
  /** `provider:account`; null: all of them */
  readonly accounts: ReadonlySet<string> | null;
}

/** `cs_<id>_<secret>`: the id finds the hash, the secret is 32 random bytes. */
const KEY = /^cs_([A-Za-z0-9.-]{1,64})_[A-Za-z0-9_-]{43}$/;
const BEARER = /^Bearer +(\S{1,200})$/i;

const digestOf = (salt: string, key: string): Buffer => createHash('sha256').update(salt).update(key).digest();

/**
 * A new key, and its hash for the configuration. A plain salted hash is enough: the secret is 256 random bits, which no list of
 * likely words holds, so there is nothing for a slow hash to slow down.
 */
export const createApiKey = (id: string): { readonly key: string; readonly hash: string } => {
  const key = `cs_${id}_${randomBytes(32).toString('base64url')}`;
  const salt = randomBytes(16).toString('hex');
  return { key, hash: `sha256:${salt}:${digestOf(salt, key).toString('hex')}` };
};

/** Finds the client of an `Authorization` header; null where it shows no key that is known. Takes as long for either. */
export type FindClient = (authorization: string | undefined) => ApiClient | null;

interface Known extends ApiClient {
  readonly salt: string;
  readonly digest: Buffer;
}

const NOBODY: Known = { id: '', scopes: new Set(), accounts: null, salt: '0'.repeat(32), digest: Buffer.alloc(32) };

export const createClientFinder = (keys: readonly ApiKeyConfig[]): FindClient => {
  const known = new Map(
    keys.map(({ id, hash, scopes, accounts }): [string, Known] => {
      const [, salt = '', digest = ''] = hash.split(':');
      const who = { id, scopes: new Set(scopes), accounts: accounts === undefined ? null : new Set(accounts) };
      return [id, { ...who, salt, digest: Buffer.from(digest, 'hex') }];
    }),
  );
  return (authorization) => {
    const key = BEARER.exec(authorization ?? '')?.[1] ?? '';
    const { salt, digest, ...client } = known.get(KEY.exec(key)?.[1] ?? '') ?? NOBODY;
    // Hashed whoever it is: the time of the answer does not tell which ids there are.
    const isKnown = timingSafeEqual(digestOf(salt, key), digest);
    return isKnown && client.id !== '' ? client : null;
  };
};

export const mayTouch = ({ accounts }: ApiClient, provider: string, account: string): boolean =>
  accounts === null || accounts.has(`${provider}:${account}`);
