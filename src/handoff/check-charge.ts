import {
  CHARGE_VALID_MS,
  chargeKey,
  type HandoffQuestion,
  type HandoffRefusal,
  instantMs,
  own,
  type ReceiptBody,
} from '../evaluator/index.ts';
import { isRail, isRailOf, RAILS } from './rails.ts';
import { refusal } from './refusals.ts';

const PROVEN = 'a receipt signed by a configured issuer, with the provider’s references, of money that moved';

/** The charge that a request refers to, where it is proven and there is one of it. */
export type FoundCharge = { readonly charge: ReceiptBody } | { readonly refused: HandoffRefusal };

/** Finds the charge by its reference alone. */
export const findCharge = ({ held, request }: HandoffQuestion): FoundCharge => {
  const ref = request.terms.chargeRef;
  const entry = own(held.receipts, chargeKey(ref));
  if (entry === undefined)
    return { refused: refusal('charge_unknown', ref, 'the reference of a charge receipt of this payment') };
  const [charge, another] = entry.bodies;
  if (another !== undefined)
    return { refused: refusal('charge_conflict', `${entry.bodies.length} proven receipts of one reference`, 'one') };
  if (charge !== undefined) return { charge };
  const codes = {
    reference_only: 'charge_reference_only',
    unsealed: 'charge_unsealed',
    proofless: 'charge_proofless',
    // Kept with its body: there is none without.
    proven: 'charge_proofless',
  } as const;
  return { refused: refusal(codes[entry.standing], entry.why, PROVEN) };
};

/** Holds a proven charge against what is asked for: payer, currency, rail, age. */
export const checkCharge = ({ request, payment }: HandoffQuestion, charge: ReceiptBody): HandoffRefusal[] => {
  const { terms } = request;
  const found: HandoffRefusal[] = [];
  if (charge.payer !== terms.counterparty)
    found.push(refusal('payer_mismatch', terms.counterparty, 'the payer of the charge'));
  if (charge.currency !== terms.currency) found.push(refusal('currency_mismatch', terms.currency, charge.currency));
  if (charge.rail !== terms.rail) found.push(refusal('rail_mismatch', terms.rail, charge.rail));
  else if (isRail(charge.rail) && !isRailOf(charge.rail, payment.provider))
    found.push(refusal('rail_mismatch', terms.rail, payment.provider));
  if (request.at > Number(instantMs(charge.issuedAt)) + CHARGE_VALID_MS)
    found.push(refusal('charge_expired', charge.issuedAt, `a receipt of at most ${CHARGE_VALID_MS / 86_400_000} days`));
  return found;
};

export const checkRail = ({ request: { terms } }: HandoffQuestion): HandoffRefusal[] =>
  isRail(terms.rail) ? [] : [refusal('rail_unknown', terms.rail, `one of ${RAILS.join(', ')}`)];
