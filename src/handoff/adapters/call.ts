import type { AdapterCall, PaymentRef, ReceiptBody } from '../../evaluator/index.ts';
import type { Currency } from '../money.ts';

/** What a refund call is made from. */
export interface RefundCall {
  readonly payment: PaymentRef;
  readonly charge: ReceiptBody;
  /** whole smallest units */
  readonly minor: bigint;
  readonly currency: Currency;
  readonly reason: string;
  readonly idempotencyKey: string;
}

/** The call without its rail; or what the charge receipt would have to say for there to be one. */
export type CallOrLack = Omit<AdapterCall, 'rail'> | { readonly lacks: string };

/** Longest text that a provider takes of a reason, cut at whole characters. */
export const shortened = (text: string, most: number): string => [...text].slice(0, most).join('');

export const jsonCall = (path: string, headers: Record<string, string>, body: object): CallOrLack => ({
  method: 'POST',
  path,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
