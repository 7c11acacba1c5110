import { z } from 'zod';
import { instantMs } from '../evaluator/index.ts';

const words = z.string('a string').min(1, 'a string that is not empty').max(255, 'at most 255 characters');
const instant = z.string('an instant').refine((text) => instantMs(text) !== null, 'an RFC 3339 instant');
const amount = z.string('decimal text').regex(/^\d{1,15}(\.\d{1,4})?$/, 'decimal text in major units, such as 20.00');
const proof = z.array(words).min(1, "at least one of the provider's own references").max(20, 'at most 20 references');

/** What every receipt says; `issued_at` is when the issuer signed it. */
const receipt = {
  iss: words,
  receipt_ref: words,
  provider: words,
  account: words,
  payment_id: words,
  amount,
  currency: words,
  rail: words,
  realm: words,
  provider_proof: proof,
  money_moved: z.literal(true, 'true'),
  issued_at: instant,
};

/** The payload of a charge receipt. */
export const chargeClaims = z.object({
  type: z.literal('charge.receipt'),
  ...receipt,
  payer: words,
  /** Shopify: the gateway that took the payment */
  gateway: words.optional(),
});

/** The payload of a refund receipt. */
export const refundClaims = z.object({
  type: z.literal('refund.receipt'),
  ...receipt,
  charge_ref: words,
  refund_id: words,
});

/** The payload of a refund authority. */
export const authorityClaims = z.object({
  type: z.literal('refund.authority', 'refund.authority'),
  iss: words,
  id: words,
  realm: words,
  operation: words,
  payer: words,
  currency: words,
  rail: words,
  max_amount: amount,
  single_use: z.boolean('true'),
  expires_at: instant,
  not_before: instant.optional(),
  /** the one charge that it is for */
  charge_ref: words.optional(),
});

export type ChargeClaims = z.output<typeof chargeClaims>;
export type RefundClaims = z.output<typeof refundClaims>;
export type AuthorityClaims = z.output<typeof authorityClaims>;
