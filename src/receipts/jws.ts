import type { ChainLink } from '../evaluator/index.ts';
import { canonicalText } from '../records/canonical-text.ts';
import { sha256Url } from './statement.ts';

/** The media type, without `application/`, that a receipt's header states. */
export const RECEIPT_TYPE = 'countersign-receipt';

/** The protected header of a receipt. */
export interface ReceiptHeader {
  readonly alg: 'EdDSA';
  readonly chain: ChainLink;
  readonly kid: string;
  readonly typ: typeof RECEIPT_TYPE;
}

const base64url = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

/** The header as it is signed: base64url of canonical JSON. */
export const printHeader = (kid: string, chain: ChainLink): string => {
  const { log, shard, sequence, previous } = chain;
  return base64url(canonicalText({ alg: 'EdDSA', chain: { log, shard, sequence, previous }, kid, typ: RECEIPT_TYPE }));
};

/** What is signed: the ASCII of `header.payload`. */
export const signingInput = (header: string, statement: string): string => `${header}.${base64url(statement)}`;

/** What the next receipt of the chain names: SHA-256 of the signing input. */
export const chainHash = sha256Url;

/** The three parts of a compact JWS; null where it has another number of them. A detached one has an empty payload. */
export const splitJws = (
  jws: string,
): { readonly header: string; readonly payload: string; readonly signature: string } | null => {
  const [header, payload, signature, ...more] = jws.split('.');
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0) return null;
  return { header, payload, signature };
};

/** Takes the payload out of a compact JWS. */
export const detach = (jws: string): string =>
  `${jws.slice(0, jws.indexOf('.'))}..${jws.slice(jws.lastIndexOf('.') + 1)}`;

/** Puts the payload into a detached JWS. Null where it is none. */
export const attach = (detached: string, statement: string): string | null => {
  const parts = splitJws(detached);
  if (parts === null || parts.payload !== '') return null;
  return `${signingInput(parts.header, statement)}.${parts.signature}`;
};

/**
 * The bytes of a base64url text; null where it is none. Strict: the unused bits of the last character must be zero, or a
 * receipt could be changed without a change in what it says.
 */
export const decodeBase64url = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
};
