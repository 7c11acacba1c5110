import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../evaluator/index.ts';
import type { AccountOf } from '../account.ts';
import { basicOf, bearerOf, jsonBody, member, textMember, textsOf } from '../http/form.ts';
import type { Payment, Refund } from '../model.ts';
import { minorOf } from '../money.ts';
import type { Answer, Route, SandboxRequest, Stand, StandTools } from '../stand.ts';
import { SandboxRefusal } from '../world.ts';
import { fault, invalid, notFound, unprocessable } from './errors.ts';
import { paypalEvents } from './events.ts';
import { captureOf, minimalRefund, orderOf, wholeRefund } from './forms.ts';
import { createPayPalSigner, type PayPalSigner } from './signer.ts';

type Account = AccountOf<'paypal'>;

const TOKEN_SECONDS = 32_400;
/** How long PayPal keeps a `PayPal-Request-Id` of this call. */
const KEPT_MS = 45 * 86_400_000;

const isOf = (account: Account, payment: Payment | null): payment is Payment => payment?.account === account.account;

/** Tokens that were given out, and until when each is good. */
const tokensOf = ({ draw, clock, world }: StandTools) => {
  const given = new Map<string, { readonly account: Account; readonly until: number }>();
  let count = 0;
  const accounts = world.accounts.filter((one): one is Account => one.provider === 'paypal');
  return {
    issue: (request: SandboxRequest): Answer => {
      const shown = basicOf(request.header('authorization'));
      const account = accounts.find(
        ({ clientId, clientSecret }) => clientId === shown?.user && clientSecret === shown.password,
      );
      if (account === undefined)
        return { status: 401, body: { error: 'invalid_client', error_description: 'Client Authentication failed' } };
      if (new URLSearchParams(request.text).get('grant_type') !== 'client_credentials')
        return { status: 400, body: { error: 'unsupported_grant_type', error_description: 'Grant Type is NULL' } };
      count += 1;
      const token = `A21AA${draw.mixed(`token/${account.account}/${count}`, 60)}`;
      given.set(token, { account, until: clock.now() + TOKEN_SECONDS * 1000 });
      const body = {
        scope: 'https://uri.paypal.com/services/payments/refund',
        access_token: token,
        token_type: 'Bearer',
      };
      return { status: 200, body: { ...body, app_id: 'APP-80W284485P519543T', expires_in: TOKEN_SECONDS } };
    },
    accountOf: (request: SandboxRequest): Account | null => {
      const found = given.get(bearerOf(request.header('authorization')) ?? '');
      return found === undefined || found.until <= clock.now() ? null : found.account;
    },
  };
};

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

const refundRoutes = (tools: StandTools): Route<'paypal'>[] => {
  const { world, clock, address } = tools;
  const keys = new Map<string, { readonly refund: Refund; readonly until: number }>();
  const printed = (request: SandboxRequest, refund: Refund): JsonObject =>
    /return=representation/.test(request.header('prefer') ?? '')
      ? wholeRefund(refund, address())
      : minimalRefund(refund, address());
  const create = (request: SandboxRequest, account: Account): Answer => {
    const body = jsonBody(request.text);
    if (body === null) return invalid('MALFORMED_REQUEST_JSON', 'The request JSON is not well formed.');
    const issue = mockedIssue(request);
    if (issue !== null) return unprocessable(issue, 'As PayPal-Mock-Response asked for.');
    const payment = world.payment('paypal', request.params['id'] ?? '');
    if (!isOf(account, payment)) return notFound();
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
  return [
    {
      method: 'POST',
      url: '/v2/payments/captures/:id/refund',
      call: 'refund.create',
      paymentOf: ({ params }) => params['id'] ?? null,
      aboutOf: (request) => request.header('paypal-request-id'),
      handle: {
        by: 'account',
        run: (request, account) => {
          try {
            return create(request, account);
          } catch (error) {
            if (error instanceof SandboxRefusal) return refusedAs(error);
            throw error;
          }
        },
      },
    },
    {
      method: 'GET',
      url: '/v2/payments/refunds/:id',
      call: 'refund.read',
      paymentOf: ({ params }) => world.refund('paypal', params['id'] ?? '')?.payment.id ?? null,
      aboutOf: ({ params }) => params['id'] ?? null,
      handle: {
        by: 'account',
        run: ({ params }, account) => {
          const refund = world.refund('paypal', params['id'] ?? '');
          if (refund === null || !isOf(account, refund.payment) || refund.visibleAt > clock.now()) return notFound();
          return { status: 200, body: wholeRefund(refund, address()) };
        },
      },
    },
    {
      method: 'GET',
      url: '/v2/payments/captures/:id',
      call: 'payment.read',
      paymentOf: ({ params }) => params['id'] ?? null,
      handle: {
        by: 'account',
        run: ({ params }, account) => {
          const payment = world.payment('paypal', params['id'] ?? '');
          return isOf(account, payment) ? { status: 200, body: captureOf(payment, address()) } : notFound();
        },
      },
    },
    {
      method: 'GET',
      url: '/v2/checkout/orders/:id',
      call: 'order.read',
      paymentOf: ({ params }) => world.paymentOfOrder('paypal', params['id'] ?? '')?.id ?? null,
      handle: {
        by: 'account',
        run: ({ params }, account) => {
          const payment = world.paymentOfOrder('paypal', params['id'] ?? '');
          return isOf(account, payment) ? { status: 200, body: orderOf(payment, clock.now(), address()) } : notFound();
        },
      },
    },
  ];
};

/** Whether what is shown is what was sent, under the same signature and for the account's own webhook. */
const verification = ({ transmission }: StandTools, request: SandboxRequest, account: Account): Answer => {
  const body = jsonBody(request.text);
  if (body === null) return invalid('MALFORMED_REQUEST_JSON', 'The request JSON is not well formed.');
  const sent = transmission(textMember(body, 'transmission_id') ?? '');
  const isSent =
    sent !== null &&
    textMember(body, 'webhook_id') === account.webhookId &&
    ['sig', 'time'].every(
      (part) => textMember(body, `transmission_${part}`) === sent.headers[`paypal-transmission-${part}`],
    ) &&
    isDeepStrictEqual(member(body, 'webhook_event'), jsonBody(sent.body));
  return { status: 200, body: { verification_status: isSent ? 'SUCCESS' : 'FAILURE' } };
};

const notificationRoutes = (tools: StandTools, signer: () => PayPalSigner): Route<'paypal'>[] => [
  {
    method: 'POST',
    url: '/v1/notifications/verify-webhook-signature',
    call: 'webhook.verify',
    handle: { by: 'account', run: (request, account) => verification(tools, request, account) },
  },
  {
    method: 'GET',
    url: '/v1/notifications/webhooks-events/:id',
    call: 'other',
    handle: {
      by: 'account',
      run: ({ params }) => {
        const body = jsonBody(tools.eventBody('paypal', params['id'] ?? '') ?? 'null');
        return body === null ? notFound() : { status: 200, body };
      },
    },
  },
  {
    method: 'POST',
    url: '/v1/notifications/webhooks-events/:id/resend',
    call: 'webhook.resend',
    handle: {
      by: 'account',
      run: ({ params }) => (tools.redeliver('paypal', params['id'] ?? '') ? { status: 202, body: {} } : notFound()),
    },
  },
  {
    method: 'GET',
    url: '/v1/notifications/certs/:id',
    call: 'certificate',
    handle: {
      by: 'anyone',
      run: ({ params }) => {
        const { certificateId, certificate, authority } = signer();
        if (params['id'] !== certificateId) return notFound();
        const headers = { 'content-type': 'application/x-pem-file' };
        return { status: 200, headers, body: null, text: `${certificate}${authority}` };
      },
    },
  },
];

export interface PayPalStand extends Stand<'paypal'> {
  readonly signer: () => PayPalSigner;
}

/** PayPal: OAuth 2, Payments v2 refunds and captures, orders, webhooks with certificates. */
export const createPayPalStand = (tools: StandTools): PayPalStand => {
  const tokens = tokensOf(tools);
  let made: PayPalSigner | null = null;
  const signer = (): PayPalSigner => {
    made ??= createPayPalSigner(tools.draw);
    return made;
  };
  return {
    provider: 'paypal',
    signer,
    routes: [
      { method: 'POST', url: '/v1/oauth2/token', call: 'token', handle: { by: 'anyone', run: tokens.issue } },
      ...refundRoutes(tools),
      ...notificationRoutes(tools, signer),
    ],
    accountOf: tokens.accountOf,
    fault,
    eventsOf: (change) => paypalEvents(change, tools.draw, tools.address()),
    sign: (event, account, attempt) => signer().headers(event, account, attempt),
    forged: (account) => ({ ...account, webhookId: tools.draw.upper('somebody else', 17) }),
  };
};
