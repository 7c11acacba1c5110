import type { ReadOutcome, ReadRequest } from '../../ports/provider-reader.ts';
import type { PayPalAccount } from '../account.ts';
import {
  type ApiAnswer,
  apiAnswer,
  otherResource,
  type ReadApi,
  type ReadTools,
  understood,
  unreadable,
} from '../api-call.ts';
import { ownText } from '../own.ts';
import { pathSegment } from '../path-segment.ts';
import { PayPalAccessToken } from './access-token.ts';
import { authAssertion } from './auth-assertion.ts';
import { paypalAnswer, paypalErrorCode } from './normalise.ts';

interface Target {
  readonly id: string;
  readonly path: string;
}

/**
 * `GET /v2/payments/refunds/{id}`; for the list `GET /v2/checkout/orders/{id}`, because Payments v2 lists no refunds of a
 * capture. The order's id can only come from the input.
 */
const targetOf = ({ reads, resourceId, input }: ReadRequest): Target | null => {
  const id = reads === 'refund' ? resourceId : ownText(input, 'order_id');
  const segment = id === null ? null : pathSegment(id);
  if (id === null || segment === null) return null;
  return { id, path: reads === 'refund' ? `/v2/payments/refunds/${segment}` : `/v2/checkout/orders/${segment}` };
};

/** Reads PayPal refunds and orders, with one access token for all; a token that the API refuses is renewed once a read. */
export const readPayPal = (account: PayPalAccount): ReadApi => {
  const token = new PayPalAccessToken(account);

  const get = async (path: string, merchantId: string | null, tools: ReadTools): Promise<ApiAnswer> => {
    for (let renewals = 0; ; renewals += 1) {
      const given = await token.get(tools);
      if (given.outcome === 'error') return given;
      const answer = apiAnswer(
        await tools.send({
          method: 'GET',
          path,
          headers: {
            accept: 'application/json',
            authorization: `Bearer ${given.value}`,
            ...(merchantId === null ? {} : { 'paypal-auth-assertion': authAssertion(account.clientId, merchantId) }),
          },
        }),
        tools.now(),
        paypalErrorCode,
      );
      if (answer.outcome !== 'error' || answer.httpStatus !== 401 || renewals === 1) return answer;
      token.refused(given.value);
    }
  };

  return async (request, tools): Promise<ReadOutcome> => {
    const target = targetOf(request);
    if (target === null) {
      const field = request.reads === 'refund' ? 'resource_id' : 'input.order_id';
      return unreadable(field, request.reads === 'refund' ? 'the id of a refund' : 'the id of an order');
    }
    const answer = await get(target.path, ownText(request.input, 'merchant_id'), tools);
    if (answer.outcome !== 'body') return answer;
    const id = ownText(answer.body, 'id');
    if (id !== null && id !== target.id) return otherResource('body.id', answer.status);
    return understood(paypalAnswer(answer.body, request.reads), answer.status, answer.text);
  };
};
