import type { JsonObject, RefundFacts } from '../../evaluator/index.ts';
import { echoesOf, own, ownDecimal, ownObject, ownText } from '../own.ts';

const stateOf = (status: string | null): RefundFacts['state'] => {
  switch (status) {
    case 'COMPLETED':
      return 'complete';
    case 'PENDING':
      return 'pending';
    case 'REJECTED':
    case 'FAILED':
      return 'dead';
    default:
      return 'unknown';
  }
};

/** The facts of a Square PaymentRefund (amounts in minor units); null where it has no id. */
export const squareRefundFacts = (refund: JsonObject): RefundFacts | null => {
  const refundId = ownText(refund, 'id');
  if (refundId === null) return null;
  const money = ownObject(refund, 'amount_money') ?? undefined;
  const status = ownText(refund, 'status');
  const version = own(refund, 'version');
  return {
    refundId,
    paymentId: ownText(refund, 'payment_id'),
    amount: ownDecimal(money, 'amount'),
    currency: ownText(money, 'currency'),
    status,
    state: stateOf(status),
    createdAt: ownText(refund, 'created_at'),
    updatedAt: ownText(refund, 'updated_at'),
    version: typeof version === 'number' ? version : null,
    echoes: echoesOf([ownText(refund, 'reason')]),
  };
};

/** A refund that a payment lists by its id alone (`payment.refund_ids`). */
export const squareRefundNamed = (refundId: string, paymentId: string | null): RefundFacts => ({
  refundId,
  paymentId,
  amount: null,
  currency: null,
  status: null,
  state: 'unknown',
  createdAt: null,
  updatedAt: null,
  version: null,
  echoes: [],
});
