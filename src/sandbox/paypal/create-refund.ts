import type { JsonObject } from '../../evaluator/index.ts';
import type { AccountOf } from '../account.ts';
import { BoundedMap } from '../bounded-map.ts';
import { jsonBody, member, textMember, textsOf } from '../http/form.ts';
import type { Payment, Refund } from '../model.ts';
import { minorOf } from '../money.ts';
import type { Answer, SandboxRequest, StandTools } from '../stand.ts';
import { SandboxRefusal } from '../world.ts';
import { invalid, notFound, unprocessable } from './errors.ts';
import { minimalRefund, wholeRefund } from './forms.ts';

type Account = AccountOf<'paypal'>;

/** How long PayPal keeps a `PayPal-Request-Id` of this call. */
const KEPT_MS = 45 * 86_400_000;

/** The amount that a refund request asks for: null all that is left; an answer where it cannot be. */
const amountOf = (body: JsonObject, { currency }: Payment): bigint | null | Answer => {
  const amount = member(body, 'amount');
  if (amount === undefined) return null;
  const value = textMember(amount, 'value');
  if (value === null)
    return invalid('MISSING_REQUIRED_PARAMETER', 'A required field / parameter is missing: /amount/value.');
  if (textMember(amount, 'currency_code') !== currency)
    return unprocessable('REFUND_CAPTURE_CURRENCY_MISMATCH', 'Refund must be in the same currency as the capture.');
  return (
    minorOf(value, currency, 'paypal') ??
    invalid('INVALID_PARAMETER_VALUE', 'The value of a field is invalid: /amount/value.')
  );
};

const refusedAs = (error: SandboxRefusal): Answer =>
  error.reason === 'fully_refunded'
    ? unprocessable('CAPTURE_FULLY_REFUNDED', 'The capture has already been fully refunded.')
    : unprocessable(
        'REFUND_AMOUNT_EXCEEDED',
        'The refund amount must be less than or equal to the capture amount that has not yet been refunded.',
      );

const mockedIssue = (request: SandboxRequest): string | null =>
  textMember(jsonBody(request.header('paypal-mock-response') ?? '') ?? {}, 'mock_application_codes');

const creator = ({ world, clock, address }: StandTools) => {
  const keys = new BoundedMap<{ readonly refund: Refund; readonly until: number }>();
  const printed = (request: SandboxRequest, refund: Refund): JsonObject =>
    /return=representation/.test(request.header('prefer') ?? '')
      ? wholeRefund(refund, address())
      : minimalRefund(refund, address());
  return (request: SandboxRequest, account: Account): Answer => {
    const body = jsonBody(request.text);
    if (body === null) return invalid('MALFORMED_REQUEST_JSON', 'The request JSON is not well formed.');
    const issue = mockedIssue(request);
    if (issue !== null) return unprocessable(issue, 'As PayPal-Mock-Response asked for.');
    const payment = world.payment('paypal', request.params['id'] ?? '');
    if (payment?.account !== account.account) return notFound();
    const key = request.header('paypal-request-id');
    const known = keys.get(`${account.account}/${payment.id}/${key}`);
    // The same id again: the latest status of what it did then.
    if (key !== null && known !== undefined && known.until > clock.now())
      return { status: 200, body: printed(request, known.refund) };
    const minor = amountOf(body, payment);
    if (minor !== null && typeof minor !== 'bigint') return minor;
    const details = textsOf(body, ['custom_id', 'invoice_id', 'note_to_payer']);
    const refund = world.refundPayment(payment, { minor, key, by: 'api', details });
    if (key !== null) keys.set(`${account.account}/${payment.id}/${key}`, { refund, until: clock.now() + KEPT_MS });
    return { status: 201, body: printed(request, refund) };
  };
};

/** `POST /v2/payments/captures/{id}/refund`: once a `PayPal-Request-Id`, and as long as something is left of the capture. */
export const createRefund = (tools: StandTools) => {
  const create = creator(tools);
  return (request: SandboxRequest, account: Account): Answer => {
    try {
      return create(request, account);
    } catch (error) {
      if (error instanceof SandboxRefusal) return refusedAs(error);
      throw error;
    }
  };
};
