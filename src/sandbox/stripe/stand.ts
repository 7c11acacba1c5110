import { createHmac } from 'node:crypto';
import type { AccountOf } from '../account.ts';
import { basicOf, bearerOf } from '../http/form.ts';
import { visibleRefunds } from '../model.ts';
import type { Answer, Route, SandboxRequest, Stand, StandTools } from '../stand.ts';
import { createRefund } from './create-refund.ts';
import { fault, notFound, stripeError } from './errors.ts';
import { stripeEvents } from './events.ts';
import { chargeOf, refundOf } from './forms.ts';

type Account = AccountOf<'stripe'>;

const PAGE_MAX = 100;

/** `GET /v1/refunds?charge=…`, newest first, `starting_after` a refund's id. */
const listRefunds = ({ world, clock }: StandTools, { query }: SandboxRequest, account: string): Answer => {
  const { charge, starting_after: after } = query;
  const all = world
    .payments()
    .filter(
      (one) => one.provider === 'stripe' && one.account === account && (charge === undefined || one.id === charge),
    )
    .flatMap((payment) => visibleRefunds(payment, clock.now()))
    .reverse();
  const known = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
  if (after !== undefined && known === -1) return notFound('refund', after, 'starting_after');
  const limit = Number(query['limit'] ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_MAX)
    return stripeError(400, `Invalid integer: limit must be between 1 and ${PAGE_MAX}`, { param: 'limit' });
  const data = all.slice(known + 1, known + 1 + limit);
  const body = {
    object: 'list',
    data: data.map(refundOf),
    has_more: known + 1 + limit < all.length,
    url: '/v1/refunds',
  };
  return { status: 200, body };
};

const readRoutes = (tools: StandTools): Route<'stripe'>[] => {
  const { world, clock } = tools;
  return [
    {
      method: 'GET',
      url: '/v1/refunds/:id',
      call: 'refund.read',
      paymentOf: ({ params }) => world.refund('stripe', params['id'] ?? '')?.payment.id ?? null,
      aboutOf: ({ params }) => params['id'] ?? null,
      handle: {
        by: 'account',
        run: ({ params }, { account }) => {
          const refund = world.refund('stripe', params['id'] ?? '');
          if (refund?.account !== account || refund.visibleAt > clock.now())
            return notFound('refund', params['id'] ?? '');
          return { status: 200, body: refundOf(refund) };
        },
      },
    },
    {
      method: 'GET',
      url: '/v1/refunds',
      call: 'refund.list',
      paymentOf: ({ query }) => query['charge'] ?? null,
      handle: { by: 'account', run: (request, { account }) => listRefunds(tools, request, account) },
    },
    {
      method: 'GET',
      url: '/v1/charges/:id',
      call: 'payment.read',
      paymentOf: ({ params }) => params['id'] ?? null,
      handle: {
        by: 'account',
        run: ({ params }, { account }) => {
          const payment = world.payment('stripe', params['id'] ?? '');
          if (payment?.account !== account) return notFound('charge', params['id'] ?? '');
          return { status: 200, body: chargeOf(payment) };
        },
      },
    },
  ];
};

/** Stripe: refunds, charges, webhooks with a signed time. */
export const createStripeStand = (tools: StandTools): Stand<'stripe'> => {
  const accounts = tools.world.accounts.filter((one): one is Account => one.provider === 'stripe');
  return {
    provider: 'stripe',
    routes: [
      {
        method: 'POST',
        url: '/v1/refunds',
        call: 'refund.create',
        paymentOf: ({ text }) => new URLSearchParams(text).get('charge'),
        aboutOf: (request) => request.header('idempotency-key'),
        handle: { by: 'account', run: createRefund(tools) },
      },
      ...readRoutes(tools),
    ],
    accountOf: (request) => {
      const header = request.header('authorization');
      const key = bearerOf(header) ?? basicOf(header)?.user;
      return accounts.find(({ secretKey }) => secretKey === key) ?? null;
    },
    fault,
    eventsOf: (change) => stripeEvents(change, tools.draw),
    sign: ({ body }, { webhookSecret }, { now }) => {
      const time = Math.floor(now / 1000);
      const signature = createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest('hex');
      return { 'stripe-signature': `t=${time},v1=${signature}` };
    },
    forged: (account) => ({ ...account, webhookSecret: 'whsec_of_somebody_else' }),
  };
};
