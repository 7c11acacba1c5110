/**
 * What can be wrong with receipts. A closed list: `docs/reference/receipts.md` says what each means, and a test holds the two equal.
 */
export const RECEIPT_PROBLEMS = [
  'RECEIPT_MALFORMED',
  'RECEIPT_MISSING',
  'RECEIPT_ALTERED',
  'RECEIPT_SIGNATURE_INVALID',
  'RECEIPT_KEY_UNKNOWN',
  'RECEIPT_KEY_NOT_VALID',
  'RECEIPT_KEY_REVOKED',
  'RECEIPT_CHAIN_BROKEN',
  'RECEIPT_REVISION_MISSING',
  'CHAIN_REMOVED',
  'CHAIN_INSERTED',
  'CHAIN_REORDERED',
  'CHAIN_DOUBLED',
  'CHAIN_FORKED',
] as const;

export type ReceiptProblemCode = (typeof RECEIPT_PROBLEMS)[number];

/** One thing that is wrong. */
export interface ReceiptProblem {
  readonly code: ReceiptProblemCode;
  /** where it was read: `file:line` */
  readonly at: string;
  /** the verdict that it is about; null where that cannot be told */
  readonly verdictId: string | null;
  /** one sentence: what was seen and what should be */
  readonly detail: string;
}
