/** A refund as the provider holds it at one moment; amounts in the currency's smallest unit. */
export interface Refund {
  readonly id: string;
  readonly payment: string;
  readonly minor: number;
  readonly currency: string;
  readonly status: 'settled' | 'pending' | 'failed';
  /** milliseconds since the epoch */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** the operation that made it, where the provider prints it */
  readonly operation: string;
}

/** One delivery of a webhook, signed. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What one provider's refunds look like on the wire. */
export interface Kit {
  readonly provider: 'paypal' | 'square' | 'shopify' | 'stripe';
  readonly account: string;
  readonly contract: string;
  /** ids in the provider's own form, made from a name */
  paymentId(name: string): string;
  refundId(name: string, payment: string): string;
  input(payment: string, minor: number, currency: string): Readonly<Record<string, string | number>>;
  /** the refund call's answer */
  result(refund: Refund): object;
  /** the raw answer of reading the refund */
  readback(refund: Refund): string;
  /** a signed event about the refund, sent at `at` */
  deliver(refund: Refund, event: string, at: number): Delivery;
}

export const iso = (ms: number): string => new Date(ms).toISOString();

/** Whole seconds, as providers print them. */
export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** `12.34` of 1234 */
export const decimal = (minor: number): string => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
