import type { EpochMs } from '../evaluator/index.ts';

/** A signing secret and the time it holds for; judged at `received_at`. Null: without a bound. */
export interface Secret {
  readonly value: string;
  /** inclusive */
  readonly fromMs: EpochMs | null;
  /** exclusive */
  readonly toMs: EpochMs | null;
}

interface EndpointBase {
  /** the account this endpoint belongs to; null where `accountField` names the body field that says it */
  readonly account: string | null;
  /** the name of a top-level body field that must equal the record's account; null where the endpoint has one account */
  readonly accountField: string | null;
  /** the endpoint's name, e.g. `default` */
  readonly endpoint: string;
}

export interface PayPalEndpoint extends EndpointBase {
  readonly provider: 'paypal';
  readonly webhookId: string;
  /** pinned certificates, PEM; none: those that came with the record are used */
  readonly certificates: readonly string[];
  /** PEM of the authorities that a certificate must chain to; none: the roots that Node ships */
  readonly ca: readonly string[];
}

export interface SquareEndpoint extends EndpointBase {
  readonly provider: 'square';
  readonly signatureKeys: readonly Secret[];
  /** byte-equal to the URL registered with Square: the signature covers it */
  readonly notificationUrl: string;
  /** the body's `merchant_id` must be this; null: not looked at */
  readonly merchantId: string | null;
}

export interface ShopifyEndpoint extends EndpointBase {
  readonly provider: 'shopify';
  readonly secrets: readonly Secret[];
  /** the shop domain header must be this (it is not covered by the signature); null: not looked at */
  readonly shopDomain: string | null;
}

export interface StripeEndpoint extends EndpointBase {
  readonly provider: 'stripe';
  readonly secrets: readonly Secret[];
  /** how far the signed time may lie from `received_at`, either way */
  readonly toleranceSeconds: number;
  /** the body's `account` (Connect) must be this; null: not looked at */
  readonly connectedAccount: string | null;
}

/** Where a provider delivers events to, and the secrets that prove a delivery is the provider's. */
export type Endpoint = PayPalEndpoint | SquareEndpoint | ShopifyEndpoint | StripeEndpoint;
