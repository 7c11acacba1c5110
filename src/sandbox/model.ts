import type { JsonObject, ProviderName } from '../evaluator/index.ts';

/** Where a refund stands, in no provider's words. */
export type RefundState = 'pending' | 'completed' | 'failed' | 'cancelled';

/** A captured payment; of Shopify, an order. Times are milliseconds since the epoch, amounts minor units. */
export interface Payment {
  readonly provider: ProviderName;
  readonly account: string;
  readonly id: string;
  /** PayPal: the order it was captured for; the others: an id of the like that the provider prints beside it */
  readonly orderId: string;
  readonly minor: bigint;
  readonly currency: string;
  readonly createdAt: number;
  /** in the order of their creation */
  readonly refunds: Refund[];
  isReversed: boolean;
}

export interface Refund {
  readonly provider: ProviderName;
  readonly account: string;
  readonly id: string;
  readonly payment: Payment;
  readonly minor: bigint;
  readonly createdAt: number;
  /** before it, reads do not find it */
  readonly visibleAt: number;
  /** the caller's idempotency key; null for one that was made in the dashboard */
  readonly key: string | null;
  readonly by: 'api' | 'dashboard';
  /** what the caller wrote beside it, in the provider's own fields (`custom_id`, `reason`, `note`, `metadata`) */
  readonly details: JsonObject;
  state: RefundState;
  updatedAt: number;
  /** counts its changes, from 1 */
  version: number;
}

/** What happened in the world, for webhooks to tell. */
export type Change =
  | { readonly kind: 'refund_created' | 'refund_changed'; readonly refund: Refund; readonly at: number }
  | { readonly kind: 'payment_reversed'; readonly payment: Payment; readonly at: number };

export const isLive = ({ state }: Refund): boolean => state === 'pending' || state === 'completed';

const sum = (refunds: readonly Refund[]): bigint => refunds.reduce((total, { minor }) => total + minor, 0n);

/** What has gone back, or is on its way. */
export const refundedMinor = ({ refunds }: Payment): bigint => sum(refunds.filter(isLive));

export const completedMinor = ({ refunds }: Payment): bigint =>
  sum(refunds.filter(({ state }) => state === 'completed'));

export const visibleRefunds = ({ refunds }: Payment, now: number): readonly Refund[] =>
  refunds.filter(({ visibleAt }) => visibleAt <= now);
