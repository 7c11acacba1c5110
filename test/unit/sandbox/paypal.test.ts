import { expect, it } from 'vitest';
import { createProviderHttp } from '../../../src/drivers/http/provider-http.ts';
import type { CertificateSource } from '../../../src/ports/certificate-source.ts';
import { authenticateDelivery } from '../../../src/producers/gateway/authenticate-delivery.ts';
import type { Endpoint } from '../../../src/providers/index.ts';
import { createPayPalPostback } from '../../../src/providers/paypal/postback.ts';
import { eventOf, type RunningSandbox, startSandbox } from '../../support/sandbox.ts';

const CAPTURE = '3C679366HH908993R';
const SCENARIO = { payments: [{ provider: 'paypal', id: CAPTURE, amount: '100.00', order_id: '5O190127TN364715T' }] };

const tokenOf = async ({ sandbox, call }: RunningSandbox): Promise<string> => {
  const account = sandbox.world.accounts.find((one) => one.provider === 'paypal');
  if (account?.provider !== 'paypal') throw new Error('no account');
  const basic = Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  const answer = await call('POST', '/v1/oauth2/token', headers, 'grant_type=client_credentials');
  return ((await answer.json()) as { access_token: string }).access_token;
};

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly id: string };
}

const refund = async (running: RunningSandbox, key: string, body: object = {}, prefer?: string): Promise<Answered> => {
  const answer = await running.call(
    'POST',
    `/v2/payments/captures/${CAPTURE}/refund`,
    {
      authorization: `Bearer ${await tokenOf(running)}`,
      'content-type': 'application/json',
      'paypal-request-id': key,
      ...(prefer === undefined ? {} : { prefer }),
    },
    JSON.stringify(body),
  );
  return { status: answer.status, body: (await answer.json()) as Answered['body'] };
};

const TEN = { amount: { value: '10.00', currency_code: 'USD' } };

it('answers a refund with id, status and links alone, unless a representation is preferred', async () => {
  const running = await startSandbox(SCENARIO);
  const minimal = await refund(running, 'k1', TEN);
  expect([minimal.status, Object.keys(minimal.body)]).toEqual([201, ['id', 'status', 'links']]);
  const whole = await refund(running, 'k2', { ...TEN, custom_id: 'op-2' }, 'return=representation');
  expect(whole.body).toMatchObject({ ...TEN, custom_id: 'op-2', status: 'COMPLETED' });
  expect(whole.body['seller_payable_breakdown']).toMatchObject({ total_refunded_amount: { value: '20.00' } });
});

it('answers the same request id with the latest status of the refund that it made', async () => {
  const running = await startSandbox({ ...SCENARIO, refunds: [{ settle_after: '10s' }] });
  const first = await refund(running, 'k1', TEN);
  await running.sandbox.advance(11_000);
  const again = await refund(running, 'k1', TEN);
  expect(first.body).toMatchObject({ status: 'PENDING' });
  expect([again.status, again.body.id, again.body['status']]).toEqual([200, first.body.id, 'COMPLETED']);
  expect((await refund(running, 'k2', TEN)).body.id).not.toBe(first.body.id);
});

it('refuses what is not left of the capture, and unknown captures, as PayPal words it', async () => {
  const running = await startSandbox(SCENARIO);
  const issueOf = ({ body }: Answered) => (body['details'] as [{ issue: string }])[0].issue;
  const tooMuch = await refund(running, 'k1', { amount: { value: '100.01', currency_code: 'USD' } });
  expect([tooMuch.status, issueOf(tooMuch)]).toEqual([422, 'REFUND_AMOUNT_EXCEEDED']);
  const euros = await refund(running, 'k2', { amount: { value: '1.00', currency_code: 'EUR' } });
  expect(issueOf(euros)).toBe('REFUND_CAPTURE_CURRENCY_MISMATCH');
  expect((await refund(running, 'k3')).body).toMatchObject({ status: 'COMPLETED' });
  expect(issueOf(await refund(running, 'k4', TEN))).toBe('CAPTURE_FULLY_REFUNDED');
  const unauthorized = await running.call('GET', `/v2/payments/captures/${CAPTURE}`, { authorization: 'Bearer x' });
  expect(unauthorized.status).toBe(401);
});

it('is read by the real adapter: absent, then pending, then completed, alone and in its order', async () => {
  const running = await startSandbox({ ...SCENARIO, refunds: [{ visible_after: '10s', settle_after: '1h' }] });
  const { body } = await refund(running, 'k1', { ...TEN, custom_id: 'op-1' });
  const read = () => running.read('paypal', { resourceId: body.id });
  expect(await read()).toMatchObject({ outcome: 'absent', httpStatus: 404 });
  await running.sandbox.advance(10_000);
  expect(await read()).toMatchObject({ outcome: 'ok', body: expect.stringContaining('"status":"PENDING"') });
  await running.sandbox.advance(3_600_000);
  expect(await read()).toMatchObject({ outcome: 'ok', body: expect.stringContaining('"status":"COMPLETED"') });
  const order = { reads: 'payment', paymentId: CAPTURE, input: { order_id: '5O190127TN364715T' } } as const;
  expect(await running.read('paypal', order)).toMatchObject({ outcome: 'ok', body: expect.stringContaining(body.id) });
});

it('sends events that the real adapter takes: pending, refunded, failed, reversed', async () => {
  const running = await startSandbox({
    ...SCENARIO,
    refunds: [{ settle_after: '10s', later: [{ after: '20s', state: 'failed' }] }],
    events: [{ at: '60s', do: 'reverse', provider: 'paypal', payment: CAPTURE }],
  });
  const { body } = await refund(running, 'k1', TEN);
  await running.sandbox.advance(70_000);
  expect(running.posted.map(running.authenticate)).toEqual(Array(4).fill('authentic'));
  const events = running.posted.map(eventOf);
  expect(events.map((event) => (event.outcome === 'event' ? `${event.type} ${event.paymentId}` : event))).toEqual([
    `PAYMENT.REFUND.PENDING ${CAPTURE}`,
    `PAYMENT.CAPTURE.REFUNDED ${CAPTURE}`,
    `PAYMENT.REFUND.FAILED ${CAPTURE}`,
    `PAYMENT.CAPTURE.REVERSED ${CAPTURE}`,
  ]);
  expect(events[1]).toMatchObject({
    facts: [{ refundId: body.id, amount: '10.00', currency: 'USD', state: 'complete' }],
  });
});

it('serves the certificate that its signatures are made with, under the path of PAYPAL-CERT-URL', async () => {
  const running = await startSandbox(SCENARIO);
  await refund(running, 'k1', TEN);
  await running.sandbox.advance(5_000);
  const [posted] = running.posted;
  if (posted === undefined) throw new Error('nothing was posted');
  const certificates: CertificateSource = {
    pem: async (url) => (await running.call('GET', new URL(url).pathname)).text(),
  };
  const pinned = running.endpoints.find(({ provider }) => provider === 'paypal') as Endpoint & { provider: 'paypal' };
  const delivery = { raw: Buffer.from(posted.body), headers: posted.headers, receivedAt: posted.at };
  const proven = await authenticateDelivery({ certificates, testMode: false }, delivery, [
    { ...pinned, certificates: [] },
  ]);
  expect(proven).toMatchObject({ outcome: 'proven', paymentId: CAPTURE });
});

it('verifies by postback what it sent, and nothing else', async () => {
  const running = await startSandbox(SCENARIO);
  await refund(running, 'k1', TEN);
  await running.sandbox.advance(5_000);
  const [posted] = running.posted;
  const account = running.accounts.find(({ provider }) => provider === 'paypal');
  const endpoint = running.endpoints.find(({ provider }) => provider === 'paypal');
  if (posted === undefined || account?.provider !== 'paypal' || endpoint?.provider !== 'paypal') throw new Error();
  const http = createProviderHttp({
    apiBase: account.apiBase,
    timeoutMs: 5_000,
    maxBytes: 65_536,
    connections: 1,
    allowPrivate: true,
  });
  const ask = createPayPalPostback(account, { send: (call) => http.send(call), now: () => posted.at });
  const delivery = { raw: posted.body, headers: posted.headers, receivedAt: posted.at, certificates: [] };
  expect(await ask(delivery, endpoint)).toEqual({ outcome: 'signed' });
  const tampered = { ...delivery, raw: posted.body.replace('10.00', '99.00') };
  expect(await ask(tampered, endpoint)).toEqual({ outcome: 'not_signed' });
  await http.close();
});

it('sends an event again when it is asked to, as the same event under a new transmission', async () => {
  const running = await startSandbox(SCENARIO);
  await refund(running, 'k1', TEN);
  await running.sandbox.advance(5_000);
  const { id } = JSON.parse(running.posted[0]?.body ?? '{}') as { id: string };
  const headers = { authorization: `Bearer ${await tokenOf(running)}` };
  expect((await running.call('POST', `/v1/notifications/webhooks-events/${id}/resend`, headers)).status).toBe(202);
  await running.sandbox.advance(0);
  expect(running.posted.map(({ body }) => body)).toEqual([running.posted[0]?.body, running.posted[0]?.body]);
  expect(new Set(running.posted.map(({ headers: sent }) => sent['paypal-transmission-id'])).size).toBe(2);
  expect(running.posted.map(running.authenticate)).toEqual(['authentic', 'authentic']);
});
