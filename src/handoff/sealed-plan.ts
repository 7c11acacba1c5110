import type { HandoffPlan, JsonObject, PaymentRef, ProviderName } from '../evaluator/index.ts';
import { canonicalDigest } from './digest.ts';

/** A plan and its digest, by which an operation names it. */
export interface SealedPlan {
  readonly plan: HandoffPlan;
  /** SHA-256 over the canonical JSON, hex */
  readonly digest: string;
}

export const sealPlan = (plan: HandoffPlan): SealedPlan => ({ plan, digest: canonicalDigest(plan) });

/** Where a provider's operations say what they mean to do, and the contract that we ship for it. */
const FORMS: Readonly<Record<ProviderName, { contract: string; payment: string; currency: string }>> = {
  paypal: { contract: 'paypal.refund.completed', payment: 'capture_id', currency: 'currency_code' },
  square: { contract: 'square.refund.completed', payment: 'payment_id', currency: 'currency' },
  shopify: { contract: 'shopify.refund.financially_completed', payment: 'order_id', currency: 'currency_code' },
  stripe: { contract: 'stripe.refund.succeeded', payment: 'charge_id', currency: 'currency' },
};

/** The start to publish before the provider is called: with these fields and a `created_at` it is held to the plan. */
export const operationOf = ({ provider, account, paymentId }: PaymentRef, { plan, digest }: SealedPlan): JsonObject => {
  const { contract, payment, currency } = FORMS[provider];
  return {
    kind: 'operation.started',
    operation_id: plan.handoff_id,
    provider,
    account,
    contract: { id: contract },
    idempotency_key: plan.idempotency_key,
    handoff: digest,
    input: {
      [payment]: paymentId,
      amount: plan.refund.provider_amount,
      [currency]: plan.refund.currency,
      ...(provider === 'paypal' ? { custom_id: plan.idempotency_key } : {}),
    },
  };
};
