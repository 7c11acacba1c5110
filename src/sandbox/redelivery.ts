import type { ProviderName } from '../evaluator/index.ts';

interface Patience {
  readonly retries: number;
  readonly firstMs: number;
  readonly mostMs: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * How each provider tries again, as far as its documentation says: PayPal 25 times over three days, Square for a day, Shopify
 * 8 times over four hours, Stripe for three days. The steps between are doubled from the first to the most.
 */
const PATIENCE: Readonly<Record<ProviderName, Patience>> = {
  paypal: { retries: 25, firstMs: MINUTE, mostMs: 4 * HOUR },
  square: { retries: 11, firstMs: MINUTE, mostMs: 6 * HOUR },
  shopify: { retries: 8, firstMs: MINUTE, mostMs: HOUR },
  stripe: { retries: 15, firstMs: MINUTE, mostMs: 8 * HOUR },
};

/** Milliseconds until a delivery that was not acknowledged is tried again; null: it is given up. */
export const redeliveryMs = (provider: ProviderName, attempts: number): number | null => {
  const { retries, firstMs, mostMs } = PATIENCE[provider];
  return attempts > retries ? null : Math.min(firstMs * 2 ** (attempts - 1), mostMs);
};
