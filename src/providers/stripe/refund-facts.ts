import type { Json, JsonObject, RefundFacts } from '../../evaluator/index.ts';
import { isJsonObject } from '../../evaluator/index.ts';
import { echoesOf, own, ownDecimal, ownObject, ownText, textOf } from '../own.ts';

/** Unix seconds as RFC 3339 with whole seconds, the precision that Stripe prints; null for anything else. */
export const printUnixSeconds = (seconds: Json | undefined): string | null => {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 0 || seconds > 253_402_300_799)
    return null;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
};

const stateOf = (status: string | null): RefundFacts['state'] => {
  switch (status) {
    case 'succeeded':
      return 'complete';
    case 'pending':
    case 'requires_action':
      return 'pending';
    case 'failed':
    case 'canceled':
      return 'dead';
    default:
      return 'unknown';
  }
};

/** An id that Stripe prints as text or, expanded, as the object itself. */
export const expandableId = (value: Json | undefined): string | null =>
  isJsonObject(value) ? ownText(value, 'id') : textOf(value);

/**
 * The facts of a Stripe refund (amounts in minor units); null where it has no id. A refund prints no update time:
 * `updatedAt` is the time of the event that carries it, null for a read.
 */
export const stripeRefundFacts = (refund: JsonObject, updatedAt: string | null): RefundFacts | null => {
  const refundId = ownText(refund, 'id');
  if (refundId === null) return null;
  const status = ownText(refund, 'status');
  const metadata = ownObject(refund, 'metadata') ?? undefined;
  return {
    refundId,
    paymentId: expandableId(own(refund, 'charge')),
    amount: ownDecimal(refund, 'amount'),
    currency: ownText(refund, 'currency'),
    status,
    state: stateOf(status),
    createdAt: printUnixSeconds(own(refund, 'created')),
    updatedAt,
    version: null,
    // Of all that a caller may write there, only what is named as an id can tell whose refund it is; `reason` is Stripe's own word.
    echoes: echoesOf([ownText(metadata, 'operation_id'), ownText(metadata, 'idempotency_key')]),
  };
};

/** The refunds of a list object `{object: "list", data: […], has_more}`. */
export const stripeListFacts = (list: JsonObject, updatedAt: string | null): readonly RefundFacts[] => {
  const data = own(list, 'data');
  if (!Array.isArray(data)) return [];
  const facts: RefundFacts[] = [];
  for (const refund of data as readonly Json[]) {
    const one = isJsonObject(refund) ? stripeRefundFacts(refund, updatedAt) : null;
    if (one !== null) facts.push(one);
  }
  return facts;
};
