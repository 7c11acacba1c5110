/** Transactions on a page; most refunds have one. */
export const TRANSACTIONS_PAGE = 10;
/** Refunds that the first answer about an order brings whole. */
export const REFUNDS_FIRST = 10;
/** The most refunds of an order that are named (Shopify's own limit of a list). */
export const REFUNDS_MAX = 250;
/** Refunds read whole at once: keeps the calculated cost under Shopify's 1,000 points for one query. */
export const REFUNDS_BATCH = 10;

const MONEY = 'shopMoney{amount currencyCode}presentmentMoney{amount currencyCode}';

const transactions = (after: string): string =>
  `transactions(first:${TRANSACTIONS_PAGE}${after}){nodes{id kind status gateway amountSet{${MONEY}}parentTransaction{id}}pageInfo{hasNextPage endCursor}}`;

const REFUND = `id createdAt updatedAt note totalRefundedSet{${MONEY}}order{id}${transactions('')}`;

/** `data.refund` */
export const REFUND_QUERY = `query($id:ID!){refund(id:$id){${REFUND}}}`;

/** `data.refund.transactions`, the page behind `$after` */
export const TRANSACTIONS_QUERY = `query($id:ID!,$after:String!){refund(id:$id){id ${transactions(',after:$after')}}}`;

/** `data.order.refunds`: a plain list, without pages */
export const ORDER_QUERY = `query($id:ID!){order(id:$id){id refunds(first:${REFUNDS_FIRST}){${REFUND}}}}`;

/** The ids alone, of as many as Shopify lists. */
export const REFUND_IDS_QUERY = `query($id:ID!){order(id:$id){id refunds(first:${REFUNDS_MAX}){id}}}`;

/** Several refunds by id. */
export const REFUNDS_QUERY = `query($ids:[ID!]!){nodes(ids:$ids){... on Refund{${REFUND}}}}`;
