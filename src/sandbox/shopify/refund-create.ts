import { isDeepStrictEqual } from 'node:util';
import type { AccountOf } from '../account.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Refund } from '../model.ts';
import { minorOf } from '../money.ts';
import type { StandTools } from '../stand.ts';
import { SandboxRefusal } from '../world.ts';
import { orderNode, refundNode } from './forms.ts';

export interface RefundInput {
  readonly orderId: string;
  readonly note?: string | null;
  readonly transactions?:
    | readonly { readonly amount: unknown; readonly kind: string; readonly orderId: string }[]
    | null;
}

interface Known {
  readonly input: RefundInput;
  readonly payload: object;
}

const userError = (field: readonly string[] | null, message: string): object => ({
  refund: null,
  order: null,
  userErrors: [{ field, message }],
});

/** The sum of the refund transactions that are asked for; null where one is no amount. Without any: 0, which moves no money. */
const minorIn = ({ transactions }: RefundInput, currency: string): bigint | null => {
  let sum = 0n;
  for (const { amount } of transactions ?? []) {
    const minor = minorOf(String(amount), currency, 'shopify');
    if (minor === null) return null;
    sum += minor;
  }
  return sum;
};

const TRANSACTION = ['transactions', '0', 'amount'];

/** refundCreate. HTTP 200 whatever happens: `userErrors` says why nothing was done. */
export const createRefund = (tools: StandTools) => {
  const { world, clock } = tools;
  const now = () => clock.now();
  const keys = new BoundedMap<Known>();

  const refundWith = (input: RefundInput, account: AccountOf<'shopify'>, key: string | null): Refund | object => {
    const payment = world.payment('shopify', input.orderId);
    if (payment?.account !== account.account) return userError(['orderId'], 'Order does not exist');
    const minor = minorIn(input, payment.currency);
    if (minor === null) return userError(TRANSACTION, 'Amount is invalid');
    if (minor === 0n)
      return userError(['transactions'], 'The sandbox refunds money alone: name a transaction of kind REFUND');
    const details = typeof input.note === 'string' ? { note: input.note } : {};
    try {
      return world.refundPayment(payment, { minor, key, by: 'api', details });
    } catch (error) {
      if (!(error instanceof SandboxRefusal)) throw error;
      return userError(TRANSACTION, 'Amount is greater than the maximum refundable amount');
    }
  };

  return (input: RefundInput, account: AccountOf<'shopify'>, key: string | null): object => {
    const known = key === null ? undefined : keys.get(`${account.account}/${key}`);
    if (known !== undefined) {
      if (isDeepStrictEqual(known.input, input)) return known.payload;
      return userError(null, 'The idempotency key was used with other parameters before');
    }
    const done = refundWith(input, account, key);
    const payload =
      'payment' in done
        ? {
            refund: () => refundNode(done as Refund, now),
            order: () => orderNode((done as Refund).payment, now),
            userErrors: [],
          }
        : done;
    if (key !== null) keys.set(`${account.account}/${key}`, { input, payload });
    return payload;
  };
};
