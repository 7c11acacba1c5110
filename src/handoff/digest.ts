import { createHash } from 'node:crypto';
import canonicalizeModule from 'canonicalize';

/** The package is CommonJS with types that claim a `default` export; what is imported is the function itself. */
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

/** SHA-256 over the canonical JSON (RFC 8785) of a value, 64 hex digits. The value holds no integer that a double cannot. */
export const canonicalDigest = (value: object): string =>
  createHash('sha256')
    .update(String(canonicalize(value)), 'utf8')
    .digest('hex');
