import type { HandoffProofs } from '../ports/handoff-proofs.ts';
import { type Issuer, Issuers } from './issuers.ts';
import { readReceipt } from './read-receipt.ts';
import { readRequest } from './read-request.ts';

/** Reads receipts and requests by the keys of these issuers. Without issuers nothing is proven and every request is refused. */
export const createHandoffProofs = (issuers: readonly Issuer[]): HandoffProofs => {
  const known = new Issuers(issuers);
  return {
    receipt: (record) => readReceipt(known, record),
    request: (record) => readRequest(known, record),
  };
};
