import type { Json, JsonObject, RefundFacts } from '../../evaluator/index.ts';
import { isJsonObject } from '../../evaluator/index.ts';
import type { ActionAnswer, Answer } from '../adapter.ts';
import { refused } from '../adapter.ts';
import { own, ownList, ownObject, ownText } from '../own.ts';
import { flattened, graphqlRefundFacts, hasMorePages, pagesAround, rawElements } from './graphql-refund.ts';
import { graphqlShapeOf, restRefundId } from './rest-refund.ts';

const isRest = (refund: JsonObject): boolean =>
  own(refund, 'admin_graphql_api_id') !== undefined || own(refund, 'order_id') !== undefined;

const ERROR_KINDS: ReadonlyMap<string | null, string> = new Map([
  ['THROTTLED', 'rate_limited'],
  ['ACCESS_DENIED', 'auth'],
]);

/** A page of the transactions has a null where others lie before or behind it: what is not seen cannot be ruled out. */
const withGaps = (shaped: JsonObject, refund: JsonObject): JsonObject => {
  const { isBefore, isBehind } = pagesAround(refund, 'transactions');
  const seen = ownList(shaped, 'transactions');
  return { ...shaped, transactions: [...(isBefore ? [null] : []), ...seen, ...(isBehind ? [null] : [])] };
};

const refundAnswer = (refund: JsonObject): Answer => {
  const shaped = isRest(refund) ? graphqlShapeOf(refund) : flattened(refund);
  const isPartial = hasMorePages(refund, 'transactions');
  const facts = isJsonObject(shaped) ? graphqlRefundFacts(shaped, null, isPartial) : null;
  if (facts === null)
    return refused('READBACK_MALFORMED', 'body.data.refund.id: was missing, should be the refund gid');
  const whole = isPartial && isJsonObject(shaped) ? withGaps(shaped, refund) : shaped;
  return { outcome: 'refund', body: { data: { refund: whole } }, facts };
};

const factsOf = (
  refunds: readonly Json[],
  orderId: string | null,
  raw: readonly Json[] = [],
): readonly RefundFacts[] => {
  const facts: RefundFacts[] = [];
  for (const [index, refund] of refunds.entries()) {
    const unflattened = raw[index];
    const isPartial = isJsonObject(unflattened) && hasMorePages(unflattened, 'transactions');
    const one = isJsonObject(refund) ? graphqlRefundFacts(refund, orderId, isPartial) : null;
    if (one !== null) facts.push(one);
  }
  return facts;
};

const orderAnswer = (order: JsonObject): Answer => {
  const flat = flattened(order);
  const refunds = own(flat, 'refunds');
  if (!isJsonObject(flat) || !Array.isArray(refunds)) {
    return refused('READBACK_MALFORMED', 'body.data.order.refunds: was missing, should list the refunds of the order');
  }
  const facts = factsOf(refunds as readonly Json[], ownText(flat, 'id'), rawElements(order, 'refunds'));
  return { outcome: 'list', body: { data: { order: flat } }, facts, isPartial: hasMorePages(order, 'refunds') };
};

/**
 * The answer of the `refund` or `order` query, with or without its `data` wrapper, or of the REST calls (one refund, or the
 * list of an order's). The body handed on always has the wrapper and GraphQL's shape: `data.refund.…`, `data.order.refunds`.
 */
export const shopifyAnswer = (body: JsonObject): Answer => {
  const data = ownObject(body, 'data') ?? body;
  const resource = ownObject(data, 'refund') ?? ownObject(data, 'node');
  if (resource !== null) return refundAnswer(resource);
  const order = ownObject(data, 'order');
  if (order !== null) return orderAnswer(order);
  const [error] = ownList(body, 'errors');
  if (error !== undefined) {
    const code = ownText(ownObject(error, 'extensions') ?? undefined, 'code');
    return { outcome: 'error', kind: ERROR_KINDS.get(code) ?? 'server' };
  }
  if (own(data, 'refund') === null || own(data, 'node') === null || own(data, 'order') === null) {
    return { outcome: 'absent' };
  }
  const refunds = own(data, 'refunds');
  if (Array.isArray(refunds)) {
    const shaped = refunds
      .filter((refund) => isJsonObject(refund) && restRefundId(refund) !== null)
      .map(graphqlShapeOf);
    return {
      outcome: 'list',
      body: { data: { order: { refunds: shaped } } },
      facts: factsOf(shaped, null),
      isPartial: false,
    };
  }
  return refused('READBACK_MALFORMED', 'body.data: should hold refund or order');
};

const userErrorCode = (payload: JsonObject): string | null => {
  const [error] = ownList(payload, 'userErrors');
  return ownText(error, 'code') ?? ownText(error, 'message');
};

/** What refundCreate answered. Its HTTP status is 200 even when it did nothing: then `userErrors` says why. */
export const shopifyAction = (answer: JsonObject): ActionAnswer => {
  const unwrapped = flattened(ownObject(answer, 'data') ?? answer);
  const result = isJsonObject(unwrapped) ? unwrapped : {};
  const payload = ownObject(result, 'refundCreate');
  const refund = payload === null ? null : ownObject(payload, 'refund');
  if (refund !== null) return { outcome: 'result', result, facts: graphqlRefundFacts(refund, null, false) };
  if (payload === null) {
    const code = shopifyErrorCode(answer);
    return code === null ? { outcome: 'result', result, facts: null } : { outcome: 'error', kind: 'unknown', code };
  }
  const code = userErrorCode(payload);
  return code === null ? { outcome: 'result', result, facts: null } : { outcome: 'error', kind: 'declined', code };
};

/** `userErrors[0].code` or its message, wherever the answer has it; else the top-level error's code or message. */
export const shopifyErrorCode = (body: Json): string | null => {
  const answer = ownObject(body, 'data') ?? (isJsonObject(body) ? body : {});
  const payload = ownObject(answer, 'refundCreate') ?? answer;
  const [error] = ownList(body, 'errors');
  return (
    userErrorCode(payload) ?? ownText(ownObject(error, 'extensions') ?? undefined, 'code') ?? ownText(error, 'message')
  );
};
