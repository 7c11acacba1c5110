import { majorText } from '../money.ts';
import { type CallOrLack, jsonCall, type RefundCall } from './call.ts';

/** From this version on `@idempotent` is mandatory for refundCreate (shopify.dev changelog, 12 December 2025). */
const VERSION = '2026-04';

const TRANSACTION = /^gid:\/\/shopify\/OrderTransaction\/\d+$/;

const mutation = (key: string): string =>
  `mutation($input:RefundInput!){refundCreate(input:$input)@idempotent(key:${JSON.stringify(key)}){userErrors{field message}refund{id createdAt updatedAt totalRefundedSet{shopMoney{amount currencyCode}presentmentMoney{amount currencyCode}}transactions(first:10){nodes{id kind status}}}}}`;

/** `refundCreate` of the Admin API: a refund goes back on the transaction and by the gateway that took the money. */
export const shopifyCall = (call: RefundCall): CallOrLack => {
  const { payment, charge, minor, currency, reason, idempotencyKey } = call;
  const parentId = charge.proof.find((one) => TRANSACTION.test(one));
  if (parentId === undefined) return { lacks: 'the gid://shopify/OrderTransaction/… of the sale in provider_proof' };
  if (charge.gateway === null) return { lacks: 'the gateway of the sale' };
  const transaction = {
    orderId: payment.paymentId,
    parentId,
    gateway: charge.gateway,
    kind: 'REFUND',
    amount: majorText(minor, currency),
  };
  const input = { orderId: payment.paymentId, note: reason, currency: currency.code, transactions: [transaction] };
  return jsonCall(`/admin/api/${VERSION}/graphql.json`, {}, { query: mutation(idempotencyKey), variables: { input } });
};
