import { createHash } from 'node:crypto';
import { type HandoffTerms, instantMs, type Json } from '../evaluator/index.ts';
import type { ReadRequest } from '../ports/handoff-proofs.ts';
import { canonicalText } from '../records/canonical-text.ts';
import type { HandoffRequested } from '../records/index.ts';
import { forbiddenFields } from './forbidden-fields.ts';
import type { Issuers } from './issuers.ts';
import { readAuthority } from './read-authority.ts';

/** Names a request: the same for the same request, whenever and how often it comes. */
const handoffIdOf = (requestDigest: string): string => `ho_${requestDigest.slice(0, 32)}`;

const termsOf = (request: HandoffRequested): HandoffTerms => ({
  chargeRef: request.charge_ref,
  amount: request.amount,
  currency: request.currency.toUpperCase(),
  reason: request.reason,
  rail: request.rail,
  counterparty: request.counterparty,
});

/** Everything that the request says but when it came, so that the same request has the same digest whenever it comes. */
const digestOf = ({ requested_at: _, ...asked }: HandoffRequested): string =>
  createHash('sha256')
    .update(canonicalText(asked as unknown as Json), 'utf8')
    .digest('hex');

/** Reads a request: what it asks for, and what is wrong with it before anything is known of the charge. */
export const readRequest = (issuers: Issuers, request: HandoffRequested): ReadRequest => {
  const requestDigest = digestOf(request);
  const { facts, problems: ofAuthority } = readAuthority(issuers, request, Number(instantMs(request.requested_at)));
  const problems = [...forbiddenFields(request), ...ofAuthority];
  return {
    handoffId: handoffIdOf(requestDigest),
    requestDigest,
    terms: termsOf(request),
    problems,
    authority: facts,
    isBindable: facts !== null && problems.length === 0,
  };
};
