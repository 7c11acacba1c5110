import { createHash } from 'node:crypto';
import canonicalizeModule from 'canonicalize';
import type { Contract, ContractRef } from '../evaluator/contract.ts';

/** The package is CommonJS with types that claim a `default` export; what is imported is the function itself. */
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

/**
 * SHA-256, in hex, over the RFC 8785 canonical JSON of the whole contract document as its YAML parses: every rule, number,
 * prose text and provenance entry, `published_hash` included. Comments, key order, quoting and anchors of the file do not
 * count; no default is added before hashing. So two files that say the same have the same hash, and any word changed in a
 * reason changes it.
 */
export const contractHash = (contract: Contract): string => {
  const canonical = canonicalize(contract);
  if (canonical === undefined) throw new TypeError('a contract is an object');
  return createHash('sha256').update(canonical, 'utf8').digest('hex');
};

/** Identity of a contract as verdicts print it: the first 16 hex digits of `contractHash`. */
export const contractRef = (contract: Contract): ContractRef => ({
  id: contract.contract.id,
  version: contract.contract.version,
  hash: contractHash(contract).slice(0, 16),
});
