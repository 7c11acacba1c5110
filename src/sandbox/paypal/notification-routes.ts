import { isDeepStrictEqual } from 'node:util';
import type { AccountOf } from '../account.ts';
import { jsonBody, member, textMember } from '../http/form.ts';
import type { Answer, Route, SandboxRequest, StandTools } from '../stand.ts';
import { invalid, notFound } from './errors.ts';
import type { PayPalSigner } from './signer.ts';

/** Whether what is shown is what was sent, under the same signature and for the account's own webhook. */
const verification = ({ transmission }: StandTools, request: SandboxRequest, account: AccountOf<'paypal'>): Answer => {
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

/** What PayPal says of its webhooks: whether one is its own, one sent again, the certificate that signs them. */
export const notificationRoutes = (tools: StandTools, signer: () => PayPalSigner): Route<'paypal'>[] => [
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
