import { z } from 'zod';
import type { ReceiptRef, VerdictRecord } from '../evaluator/index.ts';
import { canonicalText } from '../records/canonical-text.ts';
import { jsonObject } from '../records/fields.ts';
import { readJsonText } from '../records/json-text.ts';
import { parseVerdictRecord } from '../records/verdict-record.ts';
import { chainHash, decodeBase64url, RECEIPT_TYPE, type ReceiptHeader, splitJws } from './jws.ts';
import { FORM, sha256Url } from './statement.ts';

const HASH = /^[A-Za-z0-9_-]{43}$/;
const hash = z.string().regex(HASH);
const count = z.int().min(0);

const headerForm = z.strictObject({
  alg: z.literal('EdDSA'),
  chain: z.strictObject({ log: z.string().min(1), shard: count, sequence: count.min(1), previous: hash.nullable() }),
  kid: z.string().min(1),
  typ: z.literal(RECEIPT_TYPE),
});

const statementForm = z.strictObject({
  form: z.literal(FORM),
  previous: z.strictObject({ revision: count.min(1), hash }).nullable(),
  verdict: jsonObject.refine((verdict) => !Object.hasOwn(verdict, 'receipt'), 'a record without its receipt'),
});

/** A receipt as its own text tells it. Nothing is proven yet. */
export interface OpenReceipt {
  /** compact, with its payload */
  readonly jws: string;
  readonly header: ReceiptHeader;
  /** what the operation's next receipt names */
  readonly hash: string;
  /** what the chain's next receipt names */
  readonly chainHash: string;
  readonly previous: ReceiptRef | null;
  /** the sealed record; its `receipt` is null */
  readonly verdict: VerdictRecord;
}

export type Opened =
  | { readonly ok: true; readonly receipt: OpenReceipt }
  | { readonly ok: false; readonly reason: string };

const no = (reason: string): Opened => ({ ok: false, reason });

/** The JSON value of a part, where the part is canonical: one value has one receipt and no other. */
const canonicalPart = (part: string): { readonly text: string; readonly value: unknown } | null => {
  const bytes = decodeBase64url(part);
  if (bytes === null) return null;
  const text = bytes.toString('utf8');
  const read = readJsonText(text);
  // What is not UTF-8, repeats a key or sorts otherwise does not come out as it went in.
  if (!read.ok || canonicalText(read.value) !== text || !Buffer.from(text, 'utf8').equals(bytes)) return null;
  return { text, value: read.value };
};

/** Reads a compact JWS with its payload. Total. */
export const openReceipt = (jws: string): Opened => {
  const parts = splitJws(jws);
  if (parts === null) return no('it is no compact JWS: three parts of base64url with a point between them');
  const header = canonicalPart(parts.header);
  if (header === null) return no('its header is not the base64url of canonical JSON');
  const readHeader = headerForm.safeParse(header.value);
  if (!readHeader.success) return no(`its header does not hold what it should: ${fieldOf(readHeader.error)}`);
  if ((readHeader.data.chain.sequence === 1) !== (readHeader.data.chain.previous === null))
    return no('its header’s chain.previous should be null for sequence 1, and for no other');
  const payload = canonicalPart(parts.payload);
  if (payload === null) return no('its payload is not the base64url of canonical JSON');
  const statement = statementForm.safeParse(payload.value);
  if (!statement.success) return no(`its payload does not hold what it should: ${fieldOf(statement.error)}`);
  const verdict = parseVerdictRecord({ ...statement.data.verdict, receipt: null });
  if (!verdict.ok) return no(`its payload holds no verdict record: ${verdict.reason}`);
  const receipt: OpenReceipt = {
    jws,
    header: readHeader.data,
    hash: sha256Url(payload.text),
    chainHash: chainHash(`${parts.header}.${parts.payload}`),
    previous: statement.data.previous,
    verdict: verdict.record,
  };
  return { ok: true, receipt };
};

const fieldOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.map(String).join('.') || 'it'} (${message})`).join(', ');
