import type { Json, JsonObject, RefundFacts } from '../../evaluator/index.ts';
import { echoesOf, own, ownDecimal, ownList, ownObject, ownText } from '../own.ts';

const CAPTURE_PATH = /\/v2\/payments\/captures\/([A-Za-z0-9_-]{1,255})\/?$/;

const captureOf = (href: string | null): string | null => {
  if (href === null) return null;
  const query = href.search(/[?#]/);
  return CAPTURE_PATH.exec(query === -1 ? href : href.slice(0, query))?.[1] ?? null;
};

const captureByLink = (resource: JsonObject, rel: string): string | null => {
  for (const link of ownList(resource, 'links')) {
    if (own(link, 'rel') !== rel) continue;
    const capture = captureOf(ownText(link, 'href'));
    if (capture !== null) return capture;
  }
  return null;
};

/**
 * The capture that a refund is of: the last segment of `links[rel=up]`, where that is a v2 capture (there is no `capture_id`
 * member in v2). Resources of version 1 name their capture or sale in a member.
 */
export const paypalCaptureOf = (refund: JsonObject): string | null =>
  captureByLink(refund, 'up') ?? ownText(refund, 'capture_id') ?? ownText(refund, 'sale_id');

/** The capture itself, where the resource is one: a reversal may carry it instead of a refund. */
export const paypalSelfCapture = (resource: JsonObject): string | null => captureByLink(resource, 'self');

const stateOf = (status: string | null): RefundFacts['state'] => {
  // Version 1 prints its states in lower case.
  switch (status?.toUpperCase()) {
    case 'COMPLETED':
      return 'complete';
    case 'PENDING':
      return 'pending';
    case 'FAILED':
    case 'CANCELLED':
      return 'dead';
    default:
      return 'unknown';
  }
};

const unsigned = (amount: string | null): string | null => (amount?.startsWith('-') ? amount.slice(1) : amount);

/**
 * The facts of a PayPal refund (amounts in major units, as printed); null where it has no id. Version 1 prints `state`,
 * `amount.total` (negative on a refund) and `amount.currency`.
 */
export const paypalRefundFacts = (refund: JsonObject): RefundFacts | null => {
  const refundId = ownText(refund, 'id');
  if (refundId === null) return null;
  const money: Json | undefined = ownObject(refund, 'amount') ?? undefined;
  const status = ownText(refund, 'status') ?? ownText(refund, 'state');
  return {
    refundId,
    paymentId: paypalCaptureOf(refund),
    amount: ownDecimal(money, 'value') ?? unsigned(ownDecimal(money, 'total')),
    currency: ownText(money, 'currency_code') ?? ownText(money, 'currency'),
    status,
    state: stateOf(status),
    createdAt: ownText(refund, 'create_time'),
    updatedAt: ownText(refund, 'update_time'),
    version: null,
    // Not note_to_payer: what is written for a person names no operation.
    echoes: echoesOf([ownText(refund, 'custom_id'), ownText(refund, 'invoice_id')]),
  };
};
