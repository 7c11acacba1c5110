import type { Random } from './random.ts';

export type Status = 'pending' | 'settled' | 'failed';

/** A refund as the provider holds it; amounts in minor units, instants in milliseconds since the epoch. */
export interface LoadRefund {
  readonly id: string;
  readonly payment: string;
  readonly minor: number;
  readonly operation: string;
  readonly createdAt: number;
}

/** One provider's words: full bodies, of the size and shape that its documentation prints. */
export interface ProviderLoad {
  readonly provider: string;
  readonly account: string;
  readonly contract: string;
  paymentId(random: Random): string;
  refundId(random: Random, payment: string): string;
  input(payment: string, minor: number): object;
  /** the refund call's answer */
  result(refund: LoadRefund, status: Status): object;
  /** the raw answer of reading the refund */
  readback(refund: LoadRefund, status: Status, updatedAt: number): string;
  /** a webhook's headers and raw body */
  webhook(refund: LoadRefund, status: Status, updatedAt: number, eventId: string): { headers: object; body: string };
}

/** `12.34` of 1234 */
export const decimal = (minor: number): string => (minor / 100).toFixed(2);

export const iso = (ms: number): string => new Date(ms).toISOString();

/** Whole seconds, as most providers print them. */
export const isoSeconds = (ms: number): string => `${iso(ms).slice(0, 19)}Z`;
