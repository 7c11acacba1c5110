import {
  type AdapterCall,
  type AuthorityFacts,
  type HandoffPlan,
  type HandoffQuestion,
  paymentKey,
  printInstant,
  type ReceiptBody,
} from '../evaluator/index.ts';
import type { Ceiling } from './ceiling.ts';
import { canonicalDigest } from './digest.ts';
import { type Currency, majorText, providerAmount } from './money.ts';

/** What a plan is made from, once nothing speaks against it. */
export interface PlanParts {
  readonly question: HandoffQuestion;
  readonly charge: ReceiptBody;
  readonly money: Currency;
  readonly minor: bigint;
  readonly ceiling: Ceiling;
}

/** Square takes 45 characters of a key, the least of all. */
const KEY_HEX = 40;

/** Bound to receipt, authority and request: none of them can change and the key stay the same. */
export const idempotencyKeyOf = (charge: ReceiptBody, authority: AuthorityFacts, requestDigest: string): string => {
  const digest = canonicalDigest({ receipt: charge.digest, authority: authority.digest, request: requestDigest });
  return `cs_${digest.slice(0, KEY_HEX)}`;
};

/** What an authority had to pass, in the order that it was checked. */
const CHECKS = [
  'signature',
  'complete',
  'single_use',
  'no_wildcard',
  'unexpired',
  'operation',
  'payer',
  'currency',
  'rail',
  'realm',
  'within_bounds',
  'bound_to_this_payment',
  'never_used',
];

/** Plans that ended unbegun, where they would no longer fit beside this one; while all of them would, a late start harms nobody. */
const givenAway = ({ lapsed, remaining }: Ceiling, minor: bigint): { readonly lapsed?: readonly string[] } => {
  const sum = lapsed.reduce((total, plan) => total + plan.minor, 0n);
  return sum > remaining - minor ? { lapsed: lapsed.map(({ handoffId }) => handoffId) } : {};
};

export const planOf = (
  { question, charge, money, minor, ceiling }: PlanParts,
  authority: AuthorityFacts,
  adapter: AdapterCall,
  idempotencyKey: string,
  holdMs: number,
): HandoffPlan => {
  const { request, payment } = question;
  const { terms } = request;
  return {
    handoff_id: request.handoffId,
    charge: {
      receipt_ref: terms.chargeRef,
      receipt_digest: charge.digest,
      issuer: charge.issuer,
      payment_key: paymentKey(payment),
      payer: terms.counterparty,
      amount: majorText(ceiling.charged, money),
      currency: money.code,
      rail: charge.rail,
      realm: charge.realm,
      provider_proof: charge.proof,
    },
    refund: {
      amount: majorText(minor, money),
      currency: money.code,
      counterparty: terms.counterparty,
      reason: terms.reason,
      provider_amount: providerAmount(minor, money),
    },
    ceiling: {
      charged: majorText(ceiling.charged, money),
      taken: ceiling.taken,
      remaining_before: majorText(ceiling.remaining, money),
      remaining_after: majorText(ceiling.remaining - minor, money),
      ...givenAway(ceiling, minor),
    },
    authority: {
      issuer: authority.issuer,
      id: authority.id,
      digest: authority.digest,
      max_amount: authority.maxAmount,
      expires_at: printInstant(authority.expiresAt),
      checks: CHECKS,
    },
    adapter,
    idempotency_key: idempotencyKey,
    requested_at: printInstant(request.at),
    hold_until: printInstant(Math.min(request.at + holdMs, authority.expiresAt)),
    money_moved: false,
    provider_status: 'not_called',
  };
};
