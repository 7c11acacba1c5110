interface AccountBase {
  /** as the records have it */
  readonly account: string;
  /** origin and path prefix of the API, without a slash at its end */
  readonly apiBase: string;
  /** calls under way at once, in one worker */
  readonly concurrency: number;
  readonly ratePerSecond: number;
  /** calls that may come at once after a pause */
  readonly burst: number;
}

export interface PayPalAccount extends AccountBase {
  readonly provider: 'paypal';
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface SquareAccount extends AccountBase {
  readonly provider: 'square';
  readonly accessToken: string;
  /** `Square-Version` */
  readonly apiVersion: string;
}

export interface ShopifyAccount extends AccountBase {
  readonly provider: 'shopify';
  readonly accessToken: string;
  /** in the path, e.g. 2026-01 */
  readonly apiVersion: string;
}

export interface StripeAccount extends AccountBase {
  readonly provider: 'stripe';
  readonly secretKey: string;
  /** `Stripe-Version` */
  readonly apiVersion: string;
  /** `Stripe-Account`: a platform reads for this connected account; null: for itself */
  readonly connectedAccount: string | null;
}

/** An account whose refunds we may read at its provider, with its credentials. */
export type Account = PayPalAccount | SquareAccount | ShopifyAccount | StripeAccount;
