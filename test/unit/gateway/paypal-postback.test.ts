import { expect, it } from 'vitest';
import type { HttpAnswer, HttpCall, ProviderHttp } from '../../../src/ports/provider-http.ts';
import { createPostbackVerifier } from '../../../src/producers/gateway/paypal-postback.ts';
import type { PayPalAccount } from '../../../src/providers/account.ts';
import { identity } from '../../support/certificate-der.ts';
import { RECEIVED, squareEndpoint } from '../../support/deliveries.ts';
import { paypalBody, paypalDelivery, paypalEndpoint, SIGNER, WEBHOOK } from '../../support/paypal-deliveries.ts';

const account: PayPalAccount = {
  provider: 'paypal',
  account: 'merchant-1',
  apiBase: 'https://api-m.paypal.com',
  concurrency: 8,
  ratePerSecond: 1,
  burst: 3,
  clientId: 'client',
  clientSecret: 'the secret',
};

const answered = (status: number, body: unknown): HttpAnswer => ({
  outcome: 'answered',
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

const by = identity({ name: SIGNER });

const asking = (verification: HttpAnswer) => {
  const calls: HttpCall[] = [];
  const http: ProviderHttp = {
    send: async (call) => {
      calls.push(call);
      return call.path === '/v1/oauth2/token' ? answered(200, { access_token: 'T', expires_in: 900 }) : verification;
    },
    close: async () => undefined,
  };
  const { verify } = createPostbackVerifier({
    accounts: [account],
    httpOf: () => http,
    clock: { now: () => RECEIVED },
  });
  return { calls, verify };
};

const success = answered(200, { verification_status: 'SUCCESS' });

it('sends the event to PayPal byte for byte, with what its headers say', async () => {
  // Spaces, an escape and a number that printing anew would change.
  const body = `{ "id":"WH-1" , "n":1.0,"u":"\\u0041" }`;
  const { calls, verify } = asking(success);
  const sent = paypalDelivery(body, { by });
  expect(await verify(sent, paypalEndpoint())).toBe(true);
  const [, question] = calls;
  expect(question?.headers['authorization']).toBe('Bearer T');
  expect(question?.body).toContain(`"webhook_event":${body}}`);
  expect(JSON.parse(question?.body ?? '')).toMatchObject({
    webhook_id: WEBHOOK,
    transmission_id: 'tx-1',
    auth_algo: 'SHA256withRSA',
    transmission_sig: sent.headers['PAYPAL-TRANSMISSION-SIG'],
  });
});

it.each([['FAILURE', answered(200, { verification_status: 'FAILURE' })]])(
  'takes %s as forged',
  async (_word, answer) => {
    expect(await asking(answer).verify(paypalDelivery(paypalBody(), { by }), paypalEndpoint())).toBe(false);
  },
);

it.each([
  ['an outage', answered(503, {})],
  ['a refused token', answered(401, { name: 'AUTHENTICATION_FAILURE' })],
  ['another form', answered(200, { verification_status: 'MAYBE' })],
  ['no answer', { outcome: 'failed', kind: 'timeout', message: 'no whole answer in time' } as const],
])('knows nothing after %s', async (_what, answer) => {
  const asked = asking(answer).verify(paypalDelivery(paypalBody(), { by }), paypalEndpoint());
  await expect(asked).rejects.toMatchObject({ code: 'SIGNATURE_UNVERIFIABLE' });
});

it.each([
  ['ends the event early and names another webhook', '{"id":"WH-1"},"webhook_id":"8MINE"'],
  ['is no object', '[]'],
  ['is no JSON', 'x'],
])('never asks about a body that %s', async (_what, body) => {
  const { calls, verify } = asking(success);
  expect(await verify(paypalDelivery(body, { by }), paypalEndpoint())).toBe(false);
  expect(calls).toEqual([]);
});

it('asks no faster than the account allows, and nothing for endpoints that are not its own', async () => {
  const { verify } = asking(success);
  const sent = paypalDelivery(paypalBody(), { by });
  for (let asked = 0; asked < 3; asked += 1) expect(await verify(sent, paypalEndpoint())).toBe(true);
  await expect(verify(sent, paypalEndpoint())).rejects.toMatchObject({ code: 'SIGNATURE_UNVERIFIABLE' });
  expect(await verify(sent, paypalEndpoint({ account: 'merchant-2' }))).toBeNull();
  expect(await verify(sent, squareEndpoint())).toBeNull();
});
