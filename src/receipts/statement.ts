import { hash } from 'node:crypto';
import type { Json, ReceiptRef, VerdictRecord } from '../evaluator/index.ts';
import { canonicalText } from '../records/canonical-text.ts';

/** The version of what is sealed and how. A reader refuses any other. */
export const FORM = 1 as const;

/** SHA-256 of the UTF-8 of a text, base64url: 43 characters. */
export const sha256Url = (text: string): string => hash('sha256', text, 'base64url');

/**
 * What a receipt seals, as canonical JSON: the form, the operation's receipt before it, the verdict record without its
 * receipt. The UTF-8 of this text is the payload of the JWS, and its SHA-256 the receipt's hash.
 */
export const statementText = (
  { receipt: _, ...verdict }: Omit<VerdictRecord, 'receipt'> & { readonly receipt?: unknown },
  previous: ReceiptRef | null,
): string => canonicalText({ form: FORM, previous, verdict } as unknown as Json);
