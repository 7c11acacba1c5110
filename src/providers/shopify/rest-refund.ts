import type { Json, JsonObject, RefundFacts } from '../../evaluator/index.ts';
import { isJsonObject } from '../../evaluator/index.ts';
import { echoesOf, own, ownDecimal, ownList, ownObject, ownText } from '../own.ts';
import { globalId } from './global-id.ts';
import type { RefundTransaction } from './transactions.ts';
import { movementOf } from './transactions.ts';

const currencyCode = (money: JsonObject | null): string | null => {
  const code = ownText(money ?? undefined, 'currency_code');
  // XXX is ISO 4217's "no currency": Shopify prints it where it has none.
  return code === null || code === 'XXX' ? null : code;
};

/** The currency of the first money set, in the order of `paths`. */
const shopCurrency = (refund: JsonObject): string | null => {
  const sets: (JsonObject | null)[] = [
    ...ownList(refund, 'refund_line_items').map((item) => ownObject(item, 'subtotal_set')),
    ...ownList(refund, 'order_adjustments').map((item) => ownObject(item, 'amount_set')),
    ...ownList(refund, 'refund_shipping_lines').map((item) => ownObject(item, 'subtotal_amount_set')),
    ownObject(refund, 'total_duties_set'),
  ];
  for (const set of sets) {
    const code = currencyCode(ownObject(set ?? undefined, 'shop_money'));
    if (code !== null) return code;
  }
  return null;
};

const transactionOf = (transaction: Json, refund: JsonObject): RefundTransaction => ({
  kind: ownText(transaction, 'kind')?.toUpperCase() ?? null,
  status: ownText(transaction, 'status')?.toUpperCase() ?? null,
  amount: ownDecimal(transaction, 'amount'),
  currency: ownText(transaction, 'currency') ?? shopCurrency(refund),
});

/** The refund's global id: `admin_graphql_api_id`, else one made of the REST id. */
export const restRefundId = (refund: JsonObject): string | null =>
  globalId('Refund', own(refund, 'admin_graphql_api_id')) ?? globalId('Refund', own(refund, 'id'));

/**
 * The facts of a REST refund, as webhooks carry it. It prints no update time: `updatedAt` is the time of what it is a
 * picture of, so that a webhook that comes late is no newer for it. Nor is one that comes again under a later
 * `x-shopify-triggered-at`: the signature covers the body alone.
 */
export const restRefundFacts = (refund: JsonObject): RefundFacts | null => {
  const refundId = restRefundId(refund);
  if (refundId === null) return null;
  const movement = movementOf(ownList(refund, 'transactions').map((transaction) => transactionOf(transaction, refund)));
  // Transactions are in the buyer's currency alone, the sets of lines and shipping in the shop's too.
  const shop = shopCurrency(refund);
  const isInOne = movement.currency === null || shop === null || movement.currency === shop;
  return {
    refundId,
    paymentId: globalId('Order', own(refund, 'order_id')),
    ...movement,
    ...(isInOne ? {} : { otherMoney: null }),
    createdAt: ownText(refund, 'created_at'),
    updatedAt: ownText(refund, 'processed_at') ?? ownText(refund, 'created_at'),
    version: null,
    echoes: echoesOf([ownText(refund, 'note')]),
  };
};

const moneyBag = (amount: Json, currencyCode: Json): JsonObject => {
  const money = { amount, currencyCode };
  return { shopMoney: money, presentmentMoney: money };
};

/** A REST refund in GraphQL's shape and words, so that one set of contract paths reads both. */
export const graphqlShapeOf = (refund: JsonObject): JsonObject => {
  const transactions = ownList(refund, 'transactions').filter(isJsonObject);
  const succeeded = movementOf(
    transactions.map((one) => transactionOf(one, refund)).filter(({ status }) => status === 'SUCCESS'),
  );
  return {
    id: restRefundId(refund),
    createdAt: own(refund, 'created_at') ?? null,
    note: own(refund, 'note') ?? null,
    order: { id: globalId('Order', own(refund, 'order_id')) },
    totalRefundedSet: moneyBag(succeeded.amount ?? '0.0', succeeded.currency ?? shopCurrency(refund)),
    transactions: transactions.map((one) => {
      const { kind, status, amount, currency } = transactionOf(one, refund);
      const id = own(one, 'admin_graphql_api_id') ?? globalId('OrderTransaction', own(one, 'id'));
      return { id, kind, status, gateway: own(one, 'gateway') ?? null, amountSet: moneyBag(amount, currency) };
    }),
  };
};
