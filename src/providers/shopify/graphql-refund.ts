import type { Json, JsonObject, RefundFacts } from '../../evaluator/index.ts';
import { isJsonObject } from '../../evaluator/index.ts';
import { echoesOf, own, ownDecimal, ownList, ownObject, ownText } from '../own.ts';
import type { Movement } from './transactions.ts';
import { movementOf } from './transactions.ts';

const DEPTH_MAX = 64;
const UPPER_CASED: ReadonlySet<string> = new Set(['kind', 'status']);

const elementsOf = (connection: JsonObject): readonly Json[] | null => {
  const nodes = own(connection, 'nodes');
  if (Array.isArray(nodes)) return nodes as readonly Json[];
  const edges = own(connection, 'edges');
  return Array.isArray(edges) ? (edges as readonly Json[]).map((edge) => own(edge, 'node') ?? null) : null;
};

/**
 * GraphQL connections (`{nodes}`, `{edges: [{node}]}`) become plain lists, and a transaction's words upper case, so that a
 * contract's `transactions[0].status` reads as written whichever way the query asked.
 */
export const flattened = (value: Json, depth = 0): Json => {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((element) => flattened(element, depth + 1));
  if (!isJsonObject(value)) return value;
  const elements = elementsOf(value);
  if (elements !== null) return elements.map((element) => flattened(element, depth + 1));
  const flat: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    // A member of this name would set the prototype; no contract reads one.
    if (key === '__proto__') continue;
    const member = value[key] ?? null;
    flat[key] =
      UPPER_CASED.has(key) && typeof member === 'string' ? member.toUpperCase() : flattened(member, depth + 1);
  }
  return flat;
};

/** The elements of a list member of `parent`, a connection or a list, as they came. */
export const rawElements = (parent: JsonObject, member: string): readonly Json[] => {
  const connection = ownObject(parent, member);
  return connection === null ? ownList(parent, member) : (elementsOf(connection) ?? []);
};

/** Whether a list member of `parent` is a connection with pages before and behind this one. */
export const pagesAround = (parent: JsonObject, member: string): { isBefore: boolean; isBehind: boolean } => {
  const pageInfo = ownObject(ownObject(parent, member) ?? undefined, 'pageInfo') ?? undefined;
  return { isBefore: own(pageInfo, 'hasPreviousPage') === true, isBehind: own(pageInfo, 'hasNextPage') === true };
};

/** Whether a list member of `parent` is a connection with more pages than this one. */
export const hasMorePages = (parent: JsonObject, member: string): boolean => {
  const { isBefore, isBehind } = pagesAround(parent, member);
  return isBefore || isBehind;
};

type MoneyName = 'shopMoney' | 'presentmentMoney';

const moneyOf = (set: JsonObject | null, name: MoneyName): Pick<RefundFacts, 'amount' | 'currency'> => {
  const money = ownObject(set ?? undefined, name) ?? undefined;
  return { amount: ownDecimal(money, 'amount'), currency: ownText(money, 'currencyCode') };
};

/** What the transactions come to, in the shop's money or the buyer's. */
const movementIn = (refund: JsonObject, name: MoneyName, isPartial: boolean): Movement => {
  const total = moneyOf(ownObject(refund, 'totalRefundedSet'), name);
  if (!Array.isArray(own(refund, 'transactions'))) return { status: null, state: 'unknown', ...total };
  const movement = movementOf(
    ownList(refund, 'transactions').map((transaction) => ({
      kind: ownText(transaction, 'kind'),
      status: ownText(transaction, 'status'),
      ...moneyOf(ownObject(transaction, 'amountSet'), name),
    })),
  );
  if (isPartial) {
    // A transaction behind the page may be of any status. One that is pending settles it all the same.
    return { ...movement, amount: null, currency: null, state: movement.state === 'pending' ? 'pending' : 'unknown' };
  }
  // totalRefundedSet counts successes alone: beside a pending transaction it says less than the refund's amount.
  return movement.amount === null && movement.state === 'complete' ? { ...movement, ...total } : movement;
};

/** In the shop's money, and in the buyer's where that is another: an intent may be in either. */
const movementOfRefund = (refund: JsonObject, isPartial: boolean): Movement & Pick<RefundFacts, 'otherMoney'> => {
  const movement = movementIn(refund, 'shopMoney', isPartial);
  const { amount, currency } = movementIn(refund, 'presentmentMoney', isPartial);
  if (amount === null || currency === null || currency === movement.currency) return movement;
  return { ...movement, otherMoney: { amount, currency } };
};

/** The facts of a flattened GraphQL Refund; null where it has no id. */
export const graphqlRefundFacts = (
  refund: JsonObject,
  orderId: string | null,
  isPartial: boolean,
): RefundFacts | null => {
  const refundId = ownText(refund, 'id');
  if (refundId === null) return null;
  return {
    refundId,
    paymentId: ownText(ownObject(refund, 'order') ?? undefined, 'id') ?? orderId,
    ...movementOfRefund(refund, isPartial),
    createdAt: ownText(refund, 'createdAt'),
    updatedAt: ownText(refund, 'updatedAt'),
    version: null,
    echoes: echoesOf([ownText(refund, 'note')]),
  };
};
