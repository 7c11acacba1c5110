import type { AccountOf } from '../account.ts';
import type { Payment } from '../model.ts';
import type { Route, Stand, StandTools } from '../stand.ts';
import { createRefund } from './create-refund.ts';
import { fault, notFound } from './errors.ts';
import { paypalEvents } from './events.ts';
import { captureOf, orderOf, wholeRefund } from './forms.ts';
import { notificationRoutes } from './notification-routes.ts';
import { type PayPalSigner, payPalSigner } from './signer.ts';
import { tokensOf } from './tokens.ts';

const isOf = ({ account }: AccountOf<'paypal'>, payment: Payment | null): payment is Payment =>
  payment?.account === account;

const refundRoutes = (tools: StandTools): Route<'paypal'>[] => {
  const { world, clock, address } = tools;
  return [
    {
      method: 'POST',
      url: '/v2/payments/captures/:id/refund',
      call: 'refund.create',
      paymentOf: ({ params }) => params['id'] ?? null,
      aboutOf: (request) => request.header('paypal-request-id'),
      handle: { by: 'account', run: createRefund(tools) },
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

export interface PayPalStand extends Stand<'paypal'> {
  readonly signer: () => PayPalSigner;
}

/** PayPal: OAuth 2, Payments v2 refunds and captures, orders, webhooks with certificates. */
export const createPayPalStand = (tools: StandTools): PayPalStand => {
  const tokens = tokensOf(tools);
  const signer = () => payPalSigner(tools.draw);
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
