/**
 * Currencies whose minor unit is not a hundredth, from ISO 4217 (the maintained list of the SIX Group). Pinned here because a
 * verdict must come out the same a year later: ICU's table moves with the Node version.
 */
const ISO_4217_EXCEPTIONS: ReadonlyMap<string, number> = new Map([
  ...[
    'BIF',
    'CLP',
    'DJF',
    'GNF',
    'ISK',
    'JPY',
    'KMF',
    'KRW',
    'PYG',
    'RWF',
    'UGX',
    'UYI',
    'VND',
    'VUV',
    'XAF',
    'XOF',
    'XPF',
  ].map((code) => [code, 0] as const),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const),
  ...['CLF', 'UYW'].map((code) => [code, 4] as const),
]);

/** PayPal takes no decimals in these, whatever ISO 4217 says (developer.paypal.com, currency codes). */
const PAYPAL_WITHOUT_DECIMALS: ReadonlySet<string> = new Set(['HUF', 'JPY', 'TWD']);

/** Stripe counts these in hundredths although they have none (docs.stripe.com/currencies, special cases). */
const STRIPE_WITH_DECIMALS: ReadonlySet<string> = new Set(['ISK', 'UGX']);

/** Stripe takes no decimals in these, although ISO 4217 has some (docs.stripe.com/currencies, zero-decimal currencies). */
const STRIPE_WITHOUT_DECIMALS: ReadonlySet<string> = new Set(['MGA']);

/** How many decimals an amount of this currency has at this provider: JPY 0, USD 2, KWD 3. Case does not matter. */
export const currencyExponent = (currency: string, provider: string): number => {
  const code = currency.toUpperCase();
  if (provider === 'paypal' && PAYPAL_WITHOUT_DECIMALS.has(code)) return 0;
  if (provider === 'stripe' && STRIPE_WITHOUT_DECIMALS.has(code)) return 0;
  if (provider === 'stripe' && STRIPE_WITH_DECIMALS.has(code)) return 2;
  return ISO_4217_EXCEPTIONS.get(code) ?? 2;
};
