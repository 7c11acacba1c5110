/** The part of the Admin API's schema that refunds need (shopify.dev, Refund, Order, OrderTransaction, refundCreate). */
export const SCHEMA = `
  directive @idempotent(key: String!) on FIELD

  scalar CurrencyCode
  scalar DateTime
  scalar Decimal
  scalar Money
  scalar UnsignedInt64

  enum OrderTransactionKind { AUTHORIZATION CAPTURE CHANGE EMV_AUTHORIZATION REFUND SALE SUGGESTED_REFUND VOID }
  enum OrderTransactionStatus { AWAITING_RESPONSE ERROR FAILURE PENDING SUCCESS UNKNOWN }

  interface Node { id: ID! }

  type MoneyV2 { amount: Decimal! currencyCode: CurrencyCode! }
  type MoneyBag { shopMoney: MoneyV2! presentmentMoney: MoneyV2! }
  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }

  type OrderTransaction implements Node {
    id: ID!
    kind: OrderTransactionKind!
    status: OrderTransactionStatus!
    gateway: String
    amountSet: MoneyBag!
    parentTransaction: OrderTransaction
    createdAt: DateTime!
    processedAt: DateTime
    errorCode: String
    test: Boolean!
  }
  type OrderTransactionEdge { cursor: String! node: OrderTransaction! }
  type OrderTransactionConnection { edges: [OrderTransactionEdge!]! nodes: [OrderTransaction!]! pageInfo: PageInfo! }

  type Refund implements Node {
    id: ID!
    legacyResourceId: UnsignedInt64!
    createdAt: DateTime
    updatedAt: DateTime!
    note: String
    totalRefundedSet: MoneyBag!
    order: Order!
    transactions(first: Int, last: Int, after: String, before: String): OrderTransactionConnection!
  }

  type Order implements Node {
    id: ID!
    legacyResourceId: UnsignedInt64!
    name: String!
    createdAt: DateTime!
    currencyCode: CurrencyCode!
    displayFinancialStatus: String
    totalPriceSet: MoneyBag!
    totalRefundedSet: MoneyBag!
    refunds(first: Int): [Refund!]!
    transactions(first: Int): [OrderTransaction!]!
  }

  input OrderTransactionInput { orderId: ID! gateway: String! kind: OrderTransactionKind! amount: Money! parentId: ID }
  input RefundInput {
    orderId: ID!
    currency: CurrencyCode
    note: String
    notify: Boolean
    transactions: [OrderTransactionInput!]
  }

  type UserError { field: [String!] message: String! }
  type RefundCreatePayload { order: Order refund: Refund userErrors: [UserError!]! }

  type Query {
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    order(id: ID!): Order
    refund(id: ID!): Refund
  }
  type Mutation { refundCreate(input: RefundInput!): RefundCreatePayload }
`;
