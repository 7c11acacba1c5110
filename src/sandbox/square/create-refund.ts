import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../evaluator/index.ts';
import type { AccountOf } from '../account.ts';
import { BoundedMap } from '../bounded-map.ts';
import { jsonBody, member, textMember, textsOf } from '../http/form.ts';
import type { Payment, Refund } from '../model.ts';
import type { Answer, SandboxRequest, StandTools } from '../stand.ts';
import { SandboxRefusal } from '../world.ts';
import { badRequest, notFound, squareError } from './errors.ts';
import { refundOf } from './forms.ts';

const KEY_MAX = 45;

/** Minor units as a JSON integer; null where it is none, or not more than 0. */
const minorIn = (body: JsonObject): bigint | null => {
  const amount = member(member(body, 'amount_money'), 'amount');
  if (typeof amount === 'bigint') return amount > 0n ? amount : null;
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0 ? BigInt(amount) : null;
};

const refundWith = ({ world }: StandTools, payment: Payment, body: JsonObject, key: string): Refund | Answer => {
  const minor = minorIn(body);
  if (minor === null)
    return badRequest('VALUE_TOO_LOW', '`amount_money.amount` must be greater than 0.', 'amount_money.amount');
  if (textMember(member(body, 'amount_money'), 'currency') !== payment.currency)
    return badRequest('CURRENCY_MISMATCH', `The currency must be ${payment.currency}.`, 'amount_money.currency');
  try {
    return world.refundPayment(payment, { minor, key, by: 'api', details: textsOf(body, ['reason']) });
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    const detail = 'The requested refund amount exceeds the amount available to refund.';
    return squareError(400, 'REFUND_ERROR', 'REFUND_AMOUNT_INVALID', detail, 'amount_money.amount');
  }
};

/** RefundPayment. The same key with the same body answers the same refund; with another body it is refused. */
export const createRefund = (tools: StandTools) => {
  const keys = new BoundedMap<{ readonly body: JsonObject; readonly refund: Refund }>();
  return (request: SandboxRequest, account: AccountOf<'square'>): Answer => {
    const body = jsonBody(request.text);
    if (body === null) return badRequest('EXPECTED_JSON_BODY', 'The request body is not a JSON object.', 'body');
    const key = textMember(body, 'idempotency_key');
    if (key === null) return badRequest('MISSING_REQUIRED_PARAMETER', 'Missing required parameter.', 'idempotency_key');
    if (key.length > KEY_MAX)
      return badRequest('VALUE_TOO_LONG', `Field must not be greater than ${KEY_MAX} in length`, 'idempotency_key');
    const known = keys.get(`${account.account}/${key}`);
    if (known !== undefined) {
      if (isDeepStrictEqual(known.body, body)) return { status: 200, body: { refund: refundOf(known.refund) } };
      return badRequest(
        'IDEMPOTENCY_KEY_REUSED',
        'Different request parameters used for the same idempotency_key.',
        'idempotency_key',
      );
    }
    const id = textMember(body, 'payment_id');
    if (id === null) return badRequest('MISSING_REQUIRED_PARAMETER', 'Missing required parameter.', 'payment_id');
    const payment = tools.world.payment('square', id);
    if (payment?.account !== account.account) return notFound('payment', id);
    const refund = refundWith(tools, payment, body, key);
    if (!('payment' in refund)) return refund;
    keys.set(`${account.account}/${key}`, { body, refund });
    return { status: 200, body: { refund: refundOf(refund) } };
  };
};
