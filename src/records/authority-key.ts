import { isJsonObject, type Json } from '../evaluator/index.ts';
import { readJsonText } from './json-text.ts';
import type { HandoffRequested } from './records.ts';

/** What every authority's key begins with: no payment's does, since no provider is called so. */
const PREFIX = 'authority:';

/** Names an authority, and its state: `authority:<issuer>:<id>`. Nothing is parsed back out of it. */
export const authorityKey = (issuer: string, id: string): string => `${PREFIX}${issuer}:${id}`;

/** Whether a key of the state is an authority's and not a payment's. */
export const isAuthorityKey = (key: string): boolean => key.startsWith(PREFIX);

const claimsOf = (jws: Json | undefined): Json => {
  const payload = typeof jws === 'string' ? (jws.split('.')[1] ?? '') : '';
  const read = readJsonText(Buffer.from(payload, 'base64url').toString('utf8'));
  return read.ok ? read.value : null;
};

/**
 * The key of a request: the authority that it shows, as that names itself. It says only whose log the request belongs in; whether the
 * authority is one is judged there. Null where it names none.
 */
export const keyOfRequest = ({ authority }: Pick<HandoffRequested, 'authority'>): string | null => {
  const claims = claimsOf(authority);
  if (!isJsonObject(claims)) return null;
  const { iss: issuer, id } = claims;
  return typeof issuer === 'string' && typeof id === 'string' ? authorityKey(issuer, id) : null;
};
