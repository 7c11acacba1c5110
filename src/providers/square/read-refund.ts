import type { SquareAccount } from '../account.ts';
import { apiAnswer, otherResource, type ReadApi, readError, understood, unreadable } from '../api-call.ts';
import { ownObject, ownText } from '../own.ts';
import { pathSegment } from '../path-segment.ts';
import { squareAnswer, squareErrorCode } from './normalise.ts';

/** Reads `GET /v2/refunds/{id}`, and for the list `GET /v2/payments/{id}`, whose `refund_ids` name the refunds. */
export const readSquare =
  ({ accessToken, apiVersion }: SquareAccount): ReadApi =>
  async ({ reads, resourceId, paymentId }, { send, now }) => {
    const id = reads === 'refund' ? resourceId : paymentId;
    const segment = id === null ? null : pathSegment(id);
    if (segment === null) return unreadable(reads === 'refund' ? 'resource_id' : 'payment_id', 'an id of Square');
    const answer = apiAnswer(
      await send({
        method: 'GET',
        path: reads === 'refund' ? `/v2/refunds/${segment}` : `/v2/payments/${segment}`,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${accessToken}`,
          'square-version': apiVersion,
        },
      }),
      now(),
      squareErrorCode,
    );
    if (answer.outcome !== 'body') return answer;
    const member = reads === 'refund' ? 'refund' : 'payment';
    const resource = ownObject(answer.body, member);
    const said = understood(squareAnswer(answer.body), answer.status, answer.text);
    if (said.outcome !== 'ok') return said;
    if (resource === null) return readError('malformed', `body.${member}: was missing`, answer.status);
    return ownText(resource, 'id') === id ? said : otherResource(`body.${member}.id`, answer.status);
  };
