import type { JsonObject, ProviderName, VerdictName } from '../../evaluator/index.ts';

/** What the demo's payment service does about one operation. */
export interface Story {
  readonly operation: string;
  readonly provider: ProviderName;
  readonly contract: string;
  readonly input: JsonObject;
  readonly paymentId: string;
  /** what is refunded, as the provider writes it; it may differ from the intent */
  readonly amount: string;
  readonly currency: string;
  /** milliseconds of the demo's clock from its start */
  readonly startsAfterMs: number;
  /** what the service does when the answer is lost */
  readonly onLost: 'give_up' | 'retry_with_new_key';
  readonly says: string;
  /** how it must end */
  readonly expected: { readonly verdict: VerdictName; readonly class: string | null };
}

const VERIFIED = { verdict: 'VERIFIED', class: null } as const;
const FAILED = { verdict: 'FAILED', class: null } as const;

const paypal = (
  operation: string,
  capture: string,
  more: Pick<Story, 'startsAfterMs' | 'says' | 'expected'> & { amount: string; intended?: string; order: string },
): Story => ({
  operation,
  provider: 'paypal',
  contract: 'paypal.refund.completed',
  input: {
    capture_id: capture,
    amount: more.intended ?? more.amount,
    currency_code: 'USD',
    order_id: more.order,
    custom_id: operation,
  },
  paymentId: capture,
  currency: 'USD',
  onLost: 'give_up',
  ...more,
});

const square = (
  operation: string,
  payment: string,
  minor: number,
  more: Pick<Story, 'startsAfterMs' | 'says' | 'expected'>,
): Story => ({
  operation,
  provider: 'square',
  contract: 'square.refund.completed',
  input: { payment_id: payment, amount: minor, currency: 'EUR' },
  paymentId: payment,
  amount: String(minor),
  currency: 'EUR',
  onLost: 'give_up',
  ...more,
});

const stripe = (
  operation: string,
  charge: string,
  more: Pick<Story, 'startsAfterMs' | 'says' | 'expected' | 'onLost'>,
): Story => ({
  operation,
  provider: 'stripe',
  contract: 'stripe.refund.succeeded',
  input: { charge_id: charge, amount: 1000, currency: 'usd' },
  paymentId: charge,
  amount: '1000',
  currency: 'usd',
  ...more,
});

const ORDER = 'gid://shopify/Order/4720231850';

/** The stories, of the payments in examples/scenarios/live-demo.yaml. */
export const STORIES: readonly Story[] = [
  paypal('paypal-settled', '7SETTLED0CAPTURE1', {
    order: '7SETTLED00ORDER01',
    amount: '10.00',
    startsAfterMs: 0,
    says: '404 at first, then pending, then complete; its webhook three times',
    expected: VERIFIED,
  }),
  stripe('stripe-doubled', 'ch_3RefundedTwice', {
    startsAfterMs: 2_000,
    onLost: 'retry_with_new_key',
    says: 'the answer is lost, and the service tries again under a new key',
    expected: { verdict: 'CONTRADICTED', class: 'duplicate_side_effect' },
  }),
  square('square-part-1', 'sqPaymentInTwoParts', 3000, {
    startsAfterMs: 4_000,
    says: 'one of two parts of a payment; reads meet an outage',
    expected: VERIFIED,
  }),
  paypal('paypal-lost-answer', '7L0STANSWERCAPT01', {
    order: '7L0STANSWERORDER1',
    amount: '25.00',
    startsAfterMs: 6_000,
    says: 'the answer is lost, and the service asks no more; a forged webhook',
    expected: VERIFIED,
  }),
  {
    operation: 'shopify-settled',
    provider: 'shopify',
    contract: 'shopify.refund.financially_completed',
    input: { order_id: ORDER, amount: '10.00', currency_code: 'USD' },
    paymentId: ORDER,
    amount: '10.00',
    currency: 'USD',
    startsAfterMs: 8_000,
    onLost: 'give_up',
    says: 'a refund whose money moves a little later; the first read is throttled',
    expected: VERIFIED,
  },
  stripe('stripe-failed-later', 'ch_3FailsAfterwards', {
    startsAfterMs: 10_000,
    onLost: 'give_up',
    says: 'complete, and then the bank sends it back',
    expected: FAILED,
  }),
  square('square-part-2', 'sqPaymentInTwoParts', 2000, {
    startsAfterMs: 12_000,
    says: 'the other part of the same payment',
    expected: VERIFIED,
  }),
  paypal('paypal-wrong-amount', '7WR0NGAM0UNTCAPT1', {
    order: '7WR0NGAM0UNTORD01',
    amount: '12.00',
    intended: '10.20',
    startsAfterMs: 14_000,
    says: 'the service refunds 12.00 where 10.20 was meant',
    expected: { verdict: 'CONTRADICTED', class: 'wrong_amount' },
  }),
  square('square-declined', 'sqPaymentTooSmall', 5001, {
    startsAfterMs: 16_000,
    says: 'more than the payment was: declined, and nothing is there',
    expected: FAILED,
  }),
];
