import type { JsonObject, ReceiptBody } from '../evaluator/index.ts';
import type { ReadReceipt } from '../ports/handoff-proofs.ts';
import type { ChargeReceipt, RefundReceipt } from '../records/index.ts';
import { type ChargeClaims, chargeClaims, type RefundClaims, refundClaims } from './claims.ts';
import { canonicalDigest } from './digest.ts';
import type { Issuers } from './issuers.ts';

const apart = (standing: 'unsealed' | 'reference_only' | 'proofless', why: string): ReadReceipt => ({
  standing,
  why,
  body: null,
});

/** Where the signed words and the record that carries them say different things, nobody signed what the record says. */
const disagreement = (record: ChargeReceipt | RefundReceipt, claims: ChargeClaims | RefundClaims): string | null => {
  const fields: [string, string, string][] = [
    ['receipt_ref', record.receipt_ref, claims.receipt_ref],
    ['provider', record.provider, claims.provider],
    ['account', record.account, claims.account],
    ['payment_id', record.payment_id, claims.payment_id],
  ];
  if (record.kind === 'refund.receipt' && claims.type === 'refund.receipt')
    fields.push(['charge_ref', record.charge_ref, claims.charge_ref]);
  const wrong = fields.filter(([, said, signed]) => said !== signed).map(([name]) => name);
  return wrong.length === 0 ? null : `what is signed has another ${wrong.join(', ')} than the record`;
};

const bodyOf = (claims: ChargeClaims | RefundClaims, digest: string): ReceiptBody => ({
  digest,
  issuer: claims.iss,
  payer: claims.type === 'charge.receipt' ? claims.payer : null,
  amount: claims.amount,
  currency: claims.currency.toUpperCase(),
  rail: claims.rail,
  realm: claims.realm,
  proof: claims.provider_proof,
  gateway: claims.type === 'charge.receipt' ? (claims.gateway ?? null) : null,
  issuedAt: claims.issued_at,
  refund: claims.type === 'refund.receipt' ? { refundId: claims.refund_id, chargeRef: claims.charge_ref } : null,
});

const readClaims = (record: ChargeReceipt | RefundReceipt, payload: JsonObject): ReadReceipt => {
  const parsed = record.kind === 'charge.receipt' ? chargeClaims.safeParse(payload) : refundClaims.safeParse(payload);
  if (!parsed.success) {
    const told = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')} should be ${message}`);
    return apart('proofless', told.join('; '));
  }
  const wrong = disagreement(record, parsed.data);
  if (wrong !== null) return apart('unsealed', wrong);
  const wild = parsed.data.provider_proof.find((one) => one.includes('*'));
  if (wild !== undefined) return apart('proofless', 'provider_proof should name things, not patterns of them');
  return { standing: 'proven', why: null, body: bodyOf(parsed.data, canonicalDigest(parsed.data)) };
};

/** How far a receipt is proof: signed by who may sign it, about this payment, with the provider's own references to money that moved. */
export const readReceipt = (issuers: Issuers, record: ChargeReceipt | RefundReceipt): ReadReceipt => {
  const { receipt } = record;
  if (receipt === undefined || receipt === null || receipt === '')
    return apart('reference_only', 'it is a reference without a receipt');
  const signed = issuers.open(receipt, record.kind === 'charge.receipt' ? 'charges' : 'refunds');
  return signed.ok ? readClaims(record, signed.claims) : apart('unsealed', signed.why);
};
