import { currencyExponent } from '../contracts/currency.ts';
import type { ProviderName } from '../evaluator/index.ts';

/** Sums of one currency at one provider, exact: whole numbers of the smallest unit. */
export interface Currency {
  readonly code: string;
  readonly provider: ProviderName;
  readonly exponent: number;
}

export const currencyOf = (code: string, provider: ProviderName): Currency => ({
  code: code.toUpperCase(),
  provider,
  exponent: currencyExponent(code, provider),
});

/** So many digits are exact in every number that a provider is sent. */
const DIGITS_MAX = 15;

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** The smallest units of a decimal text in major units; null for one that is no plain decimal, is too long, or has more decimals. */
export const minorOfMajor = (text: string, { exponent }: Currency): bigint | null => {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return null;
  // A provider may print more decimals than the currency has; they count only where they are not zero.
  const kept = fraction.slice(0, exponent).padEnd(exponent, '0');
  if (/[1-9]/.test(fraction.slice(exponent)) || whole.length + exponent > DIGITS_MAX) return null;
  return BigInt(whole + kept);
};

/** Decimal text in major units with all decimals of the currency. */
export const majorText = (minor: bigint, { exponent }: Currency): string => {
  const digits = minor.toString().padStart(exponent + 1, '0');
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
};

const countsInMinor = ({ provider }: Currency): boolean => provider === 'square' || provider === 'stripe';

/** The smallest units of an amount as the provider or an operation's input states it; null where it is none. */
export const minorOfStated = (text: string, currency: Currency): bigint | null => {
  if (!countsInMinor(currency)) return minorOfMajor(text, currency);
  return /^\d{1,15}$/.test(text) ? BigInt(text) : null;
};

/** As the provider's contract and its API want it: a whole number at Square and Stripe, decimal text elsewhere. */
export const providerAmount = (minor: bigint, currency: Currency): number | string =>
  countsInMinor(currency) ? Number(minor) : majorText(minor, currency);

/** Stripe counts these in hundredths and takes whole units alone (docs.stripe.com/currencies, special cases). */
const STRIPE_WHOLE: ReadonlySet<string> = new Set(['ISK', 'UGX']);

/** Stripe takes three decimals only where the last is 0 (docs.stripe.com/currencies, three-decimal currencies). */
export const isSendable = (minor: bigint, { provider, exponent, code }: Currency): boolean => {
  if (provider !== 'stripe') return true;
  if (STRIPE_WHOLE.has(code)) return minor % 100n === 0n;
  return exponent !== 3 || minor % 10n === 0n;
};
