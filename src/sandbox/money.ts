import { currencyExponent } from '../contracts/currency.ts';
import type { ProviderName } from '../evaluator/index.ts';

const DECIMAL = /^\d{1,15}(?:\.\d{1,6})?$/;

/** The minor units of a decimal text (`10.00`); null where it is none, is zero, or has more decimals than the currency. */
export const minorOf = (text: string, currency: string, provider: ProviderName): bigint | null => {
  if (!DECIMAL.test(text)) return null;
  const [whole = '', fraction = ''] = text.split('.');
  const exponent = currencyExponent(currency, provider);
  if (/[1-9]/.test(fraction.slice(exponent))) return null;
  const minor = BigInt(`${whole}${fraction.slice(0, exponent).padEnd(exponent, '0')}`);
  return minor > 0n ? minor : null;
};

/** `1000` of USD as `10.00`; of JPY as `1000` */
export const decimalOf = (minor: bigint, currency: string, provider: ProviderName): string => {
  const exponent = currencyExponent(currency, provider);
  if (exponent === 0) return minor.toString();
  const digits = minor.toString().padStart(exponent + 1, '0');
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
};
