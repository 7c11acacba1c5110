import { hash } from 'node:crypto';
import type { Json } from '../evaluator/index.ts';
import { canonicalText } from '../records/canonical-text.ts';

/** SHA-256 of the bytes (a string: its UTF-8), 64 hex digits. */
export const sha256 = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex');

/** SHA-256 of a JSON value, whatever the order of its keys. */
export const sha256OfJson = (value: Json): string => sha256(canonicalText(value));

/** A short digest of a few texts, for keys held in state: 132 bits of SHA-256 in 22 characters. */
export const keyDigest = (parts: readonly (string | null)[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
