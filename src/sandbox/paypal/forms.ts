import type { Json, JsonObject } from '../../evaluator/index.ts';
import { completedMinor, type Payment, type Refund, refundedMinor, visibleRefunds } from '../model.ts';
import { decimalOf } from '../money.ts';

/** PayPal prints a resource's times in whole seconds, and not in UTC. */
export const printTime = (ms: number): string => `${new Date(ms - 7 * 3_600_000).toISOString().slice(0, 19)}-07:00`;

const money = (minor: bigint, currency: string): JsonObject => ({
  currency_code: currency,
  value: decimalOf(minor, currency, 'paypal'),
});

const link = (href: string, rel: string, method = 'GET'): JsonObject => ({ href, rel, method });

const STATUS = { pending: 'PENDING', completed: 'COMPLETED', failed: 'FAILED', cancelled: 'CANCELLED' } as const;

const totalUpTo = (refund: Refund): bigint => {
  const { refunds } = refund.payment;
  const before = refunds.slice(0, refunds.indexOf(refund) + 1);
  return before
    .filter(({ state }) => state === 'completed' || state === 'pending')
    .reduce((sum, { minor }) => sum + minor, 0n);
};

const linksOf = ({ id, payment }: Refund, address: string): Json => [
  link(`${address}/v2/payments/refunds/${id}`, 'self'),
  link(`${address}/v2/payments/captures/${payment.id}`, 'up'),
];

/** `Prefer: return=minimal`, which is the default. */
export const minimalRefund = (refund: Refund, address: string): JsonObject => ({
  id: refund.id,
  status: STATUS[refund.state],
  links: linksOf(refund, address),
});

/** The Refund object of Payments v2. */
export const wholeRefund = (refund: Refund, address: string): JsonObject => {
  const { payment, minor, state, createdAt, updatedAt, details } = refund;
  const { currency } = payment;
  return {
    id: refund.id,
    amount: money(minor, currency),
    seller_payable_breakdown: {
      gross_amount: money(minor, currency),
      paypal_fee: money(0n, currency),
      net_amount: money(minor, currency),
      total_refunded_amount: money(totalUpTo(refund), currency),
    },
    ...details,
    status: STATUS[state],
    ...(state === 'pending' ? { status_details: { reason: 'ECHECK' } } : {}),
    create_time: printTime(createdAt),
    update_time: printTime(updatedAt),
    links: linksOf(refund, address),
  };
};

const captureStatus = (payment: Payment): string => {
  const completed = completedMinor(payment);
  if (completed === 0n) return 'COMPLETED';
  return completed === payment.minor ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
};

/** The Capture object. */
export const captureOf = (payment: Payment, address: string): JsonObject => ({
  id: payment.id,
  status: captureStatus(payment),
  amount: money(payment.minor, payment.currency),
  final_capture: true,
  seller_protection: { status: 'NOT_ELIGIBLE' },
  supplementary_data: { related_ids: { order_id: payment.orderId } },
  create_time: printTime(payment.createdAt),
  update_time: printTime(payment.createdAt),
  links: [
    link(`${address}/v2/payments/captures/${payment.id}`, 'self'),
    link(`${address}/v2/payments/captures/${payment.id}/refund`, 'refund', 'POST'),
    link(`${address}/v2/checkout/orders/${payment.orderId}`, 'up'),
  ],
});

/** The Order object, with the refunds that are to be seen by now. */
export const orderOf = (payment: Payment, now: number, address: string): JsonObject => {
  const refunds = visibleRefunds(payment, now).map((refund) => wholeRefund(refund, address));
  return {
    id: payment.orderId,
    intent: 'CAPTURE',
    status: 'COMPLETED',
    purchase_units: [
      {
        reference_id: 'default',
        amount: money(payment.minor, payment.currency),
        payments: { captures: [captureOf(payment, address)], ...(refunds.length === 0 ? {} : { refunds }) },
      },
    ],
    create_time: new Date(payment.createdAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    links: [link(`${address}/v2/checkout/orders/${payment.orderId}`, 'self')],
  };
};

/** The refund-shaped resource of PAYMENT.CAPTURE.REVERSED: COMPLETED, and not the merchant's refund. */
export const reversalOf = (payment: Payment, id: string, at: number, address: string): JsonObject => {
  const left = payment.minor - refundedMinor(payment);
  return {
    id,
    amount: money(left, payment.currency),
    seller_payable_breakdown: {
      gross_amount: money(left, payment.currency),
      paypal_fee: money(0n, payment.currency),
      net_amount: money(left, payment.currency),
      total_refunded_amount: money(payment.minor, payment.currency),
    },
    status: 'COMPLETED',
    create_time: printTime(at),
    update_time: printTime(at),
    links: [
      link(`${address}/v2/payments/refunds/${id}`, 'self'),
      link(`${address}/v2/payments/captures/${payment.id}`, 'up'),
    ],
  };
};
