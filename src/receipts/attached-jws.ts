import { attach } from './jws.ts';
import type { Claim } from './read-claim.ts';
import { statementText } from './statement.ts';

/** The receipt that a line holds, with its payload in it; null where it holds none. */
export const attachedJws = (claim: Claim): string | null => {
  if (claim.form === 'jws') return claim.jws;
  if (claim.form !== 'record' || claim.record.receipt === null) return null;
  return attach(claim.record.receipt.jws, statementText(claim.record, claim.record.receipt.previous));
};
