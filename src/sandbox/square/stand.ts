import { createHmac } from 'node:crypto';
import type { AccountOf } from '../account.ts';
import { bearerOf, jsonBody, textMember } from '../http/form.ts';
import { visibleRefunds } from '../model.ts';
import type { Answer, Route, SandboxRequest, Stand, StandTools } from '../stand.ts';
import { createRefund } from './create-refund.ts';
import { fault, notFound } from './errors.ts';
import { squareEvents } from './events.ts';
import { paymentOf, refundOf } from './forms.ts';

type Account = AccountOf<'square'>;

const PAGE_MAX = 100;

const hmac = (algorithm: 'sha256' | 'sha1', key: string, text: string): string =>
  createHmac(algorithm, key).update(text).digest('base64');

const readRoutes = ({ world, clock }: StandTools): Route<'square'>[] => [
  {
    method: 'GET',
    url: '/v2/refunds/:id',
    call: 'refund.read',
    paymentOf: ({ params }) => world.refund('square', params['id'] ?? '')?.payment.id ?? null,
    aboutOf: ({ params }) => params['id'] ?? null,
    handle: {
      by: 'account',
      run: ({ params }, { account }) => {
        const refund = world.refund('square', params['id'] ?? '');
        if (refund?.account !== account || refund.visibleAt > clock.now())
          return notFound('refund', params['id'] ?? '');
        return { status: 200, body: { refund: refundOf(refund) } };
      },
    },
  },
  {
    method: 'GET',
    url: '/v2/payments/:id',
    call: 'payment.read',
    paymentOf: ({ params }) => params['id'] ?? null,
    handle: {
      by: 'account',
      run: ({ params }, { account }) => {
        const payment = world.payment('square', params['id'] ?? '');
        if (payment?.account !== account) return notFound('payment', params['id'] ?? '');
        return { status: 200, body: { payment: paymentOf(payment, clock.now()) } };
      },
    },
  },
  {
    method: 'GET',
    url: '/v2/refunds',
    call: 'refund.list',
    handle: { by: 'account', run: (request, { account }) => listRefunds({ world, clock }, request, account) },
  },
];

/** ListPaymentRefunds, newest first; the cursor is a number of refunds. */
const listRefunds = (
  { world, clock }: Pick<StandTools, 'world' | 'clock'>,
  { query }: SandboxRequest,
  account: string,
): Answer => {
  const all = world
    .payments()
    .filter((payment) => payment.provider === 'square' && payment.account === account)
    .flatMap((payment) => visibleRefunds(payment, clock.now()))
    .sort((a, b) => b.createdAt - a.createdAt);
  const from = Number(query['cursor'] ?? 0) || 0;
  const limit = Math.min(Math.max(1, Number(query['limit'] ?? PAGE_MAX) || PAGE_MAX), PAGE_MAX);
  const refunds = all.slice(from, from + limit).map(refundOf);
  const cursor = from + limit < all.length ? { cursor: String(from + limit) } : {};
  return { status: 200, body: { refunds, ...cursor } };
};

/** Square: RefundPayment and what reads it back, webhooks signed over URL and body. */
export const createSquareStand = (tools: StandTools): Stand<'square'> => {
  const accounts = tools.world.accounts.filter((one): one is Account => one.provider === 'square');
  const of = (name: string): Account | undefined => accounts.find(({ account }) => account === name);
  return {
    provider: 'square',
    routes: [
      {
        method: 'POST',
        url: '/v2/refunds',
        call: 'refund.create',
        paymentOf: ({ text }) => textMember(jsonBody(text) ?? {}, 'payment_id'),
        aboutOf: ({ text }) => textMember(jsonBody(text) ?? {}, 'idempotency_key'),
        handle: { by: 'account', run: createRefund(tools) },
      },
      ...readRoutes(tools),
    ],
    accountOf: (request) => {
      const token = bearerOf(request.header('authorization'));
      return accounts.find(({ accessToken }) => accessToken === token) ?? null;
    },
    fault,
    eventsOf: (change) => {
      const { account } = change.kind === 'payment_reversed' ? change.payment : change.refund;
      const owner = of(account);
      return owner === undefined ? [] : squareEvents(change, owner, tools.draw);
    },
    sign: ({ body, at }, { signatureKey }, { url, number }) => ({
      'x-square-hmacsha256-signature': hmac('sha256', signatureKey, `${url}${body}`),
      // Still sent, and proves nothing.
      'x-square-signature': hmac('sha1', signatureKey, `${url}${body}`),
      'square-environment': 'Sandbox',
      'square-initial-delivery-timestamp': new Date(at).toISOString(),
      ...(number === 1 ? {} : { 'square-retry-number': String(number - 1), 'square-retry-reason': 'http_error' }),
    }),
    forged: (account) => ({ ...account, signatureKey: 'a key of somebody else' }),
  };
};
