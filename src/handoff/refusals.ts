import type { HandoffRefusal } from '../evaluator/index.ts';

/**
 * Every stop condition, and the check that it belongs to. Append-only; `docs/reference/handoff.md` lists them, and a test holds
 * the two equal.
 */
export const REFUSAL_CHECKS = {
  caller_supplied_receipt: 'request',
  caller_supplied_total: 'request',
  caller_supplied_seal: 'request',
  caller_supplied_verified: 'request',
  caller_supplied_idempotency: 'request',
  field_not_accepted: 'request',
  amount_malformed: 'amount',
  amount_not_positive: 'amount',
  amount_above_charge: 'amount',
  amount_above_remaining: 'amount',
  rail_unknown: 'rail',
  charge_unknown: 'charge',
  charge_reference_only: 'charge',
  charge_unsealed: 'charge',
  charge_proofless: 'charge',
  charge_conflict: 'charge',
  charge_expired: 'charge',
  charge_incomplete: 'charge',
  payer_mismatch: 'charge',
  currency_mismatch: 'charge',
  rail_mismatch: 'charge',
  payment_reversed: 'history',
  prior_refund_unmeasured: 'history',
  state_limit: 'history',
  authority_missing: 'authority',
  authority_reference_only: 'authority',
  authority_unsigned: 'authority',
  authority_incomplete: 'authority',
  authority_wildcard: 'authority',
  authority_reusable: 'authority',
  authority_expired: 'authority',
  authority_not_yet_valid: 'authority',
  authority_operation_mismatch: 'authority',
  authority_payer_mismatch: 'authority',
  authority_currency_mismatch: 'authority',
  authority_rail_mismatch: 'authority',
  authority_realm_mismatch: 'authority',
  authority_charge_mismatch: 'authority',
  authority_bound_exceeded: 'authority',
  authority_bound_elsewhere: 'authority',
  authority_used: 'authority',
} as const;

export type RefusalCode = keyof typeof REFUSAL_CHECKS;

/** Longest text that a refusal repeats of what it saw. */
const SEEN_MAX = 120;

/** @param seen never a signature, nor anything below a field that may hold one */
export const refusal = (code: RefusalCode, seen: string | null, needed: string): HandoffRefusal => ({
  code,
  check: REFUSAL_CHECKS[code],
  seen: seen === null ? null : seen.slice(0, SEEN_MAX),
  needed,
});
