import { afterEach, describe, expect, it } from 'vitest';
import { createAdmission } from '../../../src/consumers/admit.ts';
import { loadContracts } from '../../../src/contracts/load.ts';
import { OperatingError } from '../../../src/errors.ts';
import type { RecordSink } from '../../../src/ports/record-sink.ts';
import type { Endpoint } from '../../../src/providers/index.ts';
import { parseInputRecord } from '../../../src/records/parse.ts';
import { createSealCheck } from '../../../src/records/seal.ts';
import { identity } from '../../support/certificate-der.ts';
import {
  hmac,
  RECEIVED,
  secret,
  shopifyEndpoint,
  shopifyHeaders,
  squareBody,
  squareEndpoint,
  squareHeaders,
  stripeBody,
  stripeEndpoint,
  stripeHeaders,
} from '../../support/deliveries.ts';
import { type GatewayGiven, type RunningGateway, startGateway } from '../../support/gateway.ts';
import { paypalBody, paypalDelivery, paypalEndpoint, SIGNER } from '../../support/paypal-deliveries.ts';

let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const start = async (given: GatewayGiven): Promise<RunningGateway> => {
  gateway = await startGateway(given);
  return gateway;
};

const authority = identity({ name: 'Test CA', isAuthority: true });
const signer = identity({ name: SIGNER, issuer: authority });
const CERTIFICATE = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1a5f47cb';
const paypal = paypalEndpoint({ ca: [authority.pem] });

// Written out: its ids are longer than a double holds.
const shopifyBody =
  '{"id":890088186047892319,"admin_graphql_api_id":"gid://shopify/Refund/890088186047892319","order_id":820982911946154508,"created_at":"2026-09-01T08:00:01-04:00","transactions":[]}';

interface Sent {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly key: string;
}

const ALL: Record<string, Sent> = {
  paypal: {
    endpoint: paypal,
    path: '/webhooks/paypal/default',
    body: paypalBody(),
    headers: { ...paypalDelivery(paypalBody(), { by: signer }).headers },
    key: 'paypal:merchant-1:3C679366HH908993R',
  },
  square: {
    endpoint: squareEndpoint(),
    path: '/webhooks/square/default',
    body: squareBody(),
    headers: squareHeaders(squareBody()),
    key: 'square:merchant-1:pay1',
  },
  shopify: {
    endpoint: shopifyEndpoint(),
    path: '/webhooks/shopify/default',
    body: shopifyBody,
    headers: shopifyHeaders(shopifyBody),
    key: 'shopify:merchant-1:gid://shopify/Order/820982911946154508',
  },
  stripe: {
    endpoint: stripeEndpoint(),
    path: '/webhooks/stripe/default',
    body: stripeBody(),
    headers: stripeHeaders(stripeBody()),
    key: 'stripe:merchant-1:ch_1',
  },
};

const certificates = { pem: async () => signer.pem };

describe.each(Object.entries(ALL))('%s', (provider, { endpoint, path, body, headers, key }) => {
  it('publishes what the provider signed, keyed by its payment, and then says 200', async () => {
    const { post, records, values } = await start({ endpoints: [endpoint], certificates });
    const answer = await post(path, body, { ...headers, 'x-forwarded-for': '203.0.113.7', cookie: 'a=b' });
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'accepted' }]);
    const [value] = values();
    expect(value).toMatchObject({
      kind: 'webhook.received',
      provider,
      account: 'merchant-1',
      endpoint: 'default',
      body,
      received_at: new Date(RECEIVED).toISOString(),
    });
    const names = Object.keys(value?.['headers'] as object);
    expect(names.sort()).toEqual(
      Object.keys(headers)
        .map((name) => name.toLowerCase())
        .sort(),
    );
    const [record] = records();
    expect(Buffer.from(record?.key ?? '').toString()).toBe(key);
    expect(record?.headers['ce_type']).toBe('webhook.received');
  });

  it('publishes what the keyed consumer admits', async () => {
    const { post, values } = await start({ endpoints: [endpoint], certificates });
    await post(path, body, headers);
    const parsed = parseInputRecord(values()[0] as never);
    if (!parsed.ok) throw new Error(parsed.reason);
    const options = { contracts: loadContracts(), endpoints: [endpoint], trustGateway: false, testMode: false };
    const source = { topic: 'webhook-received', partition: 0, offset: '0' };
    expect(createAdmission(options).admit(parsed.record, { source, timestamp: RECEIVED }).outcome).toBe('admitted');
  });

  it.each([
    ['a body that was changed', body.replace('10', '11').replace('8900', '8901'), headers],
    ['a body that was printed anew', `${JSON.stringify(JSON.parse(body), null, 1)}`, headers],
    ['no signature', body, {}],
    ['an empty signature', body, Object.fromEntries(Object.keys(headers).map((name) => [name, '']))],
  ])('answers 401 to %s, and keeps nothing of it', async (_what, sent, given) => {
    const { post, records, metrics } = await start({ endpoints: [endpoint], certificates });
    const answer = await post(path, sent, given);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ status: 401, code: 'SIGNATURE_INVALID' });
    expect(records()).toEqual([]);
    expect(await metrics()).toContain(
      `countersign_webhooks_total{provider="${provider}",endpoint="default",outcome="forged"} 1`,
    );
  });
});

it('takes a secret that is being brought in and one that is being taken out, and none out of its time', async () => {
  const keys = [
    secret('old', undefined, '2026-09-01T12:00:10Z'),
    secret('new', '2026-09-01T11:00:00Z'),
    secret('gone', undefined, '2026-09-01T12:00:00Z'),
  ];
  const { post } = await start({ endpoints: [squareEndpoint(keys)] });
  const statusOf = async (key: string): Promise<number> =>
    (await post('/webhooks/square/default', squareBody(), squareHeaders(squareBody(), key))).status;
  expect([await statusOf('old'), await statusOf('new'), await statusOf('gone')]).toEqual([200, 200, 401]);
});

it('asks to be sent again what no secret in force can check: it may be genuine', async () => {
  const { post, records } = await start({ endpoints: [squareEndpoint([secret('k', '2027-01-01T00:00:00Z')])] });
  const answer = await post('/webhooks/square/default', squareBody(), squareHeaders(squareBody(), 'k'));
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
  expect(records()).toEqual([]);
});

it('checks Square by the configured public URL, whatever host the request came by', async () => {
  const { post } = await start({ endpoints: [squareEndpoint()] });
  const inner = { 'x-square-hmacsha256-signature': hmac('square-key', `http://127.0.0.1/x${squareBody()}`, 'base64') };
  expect((await post('/webhooks/square/default', squareBody(), inner)).status).toBe(401);
  const sha1 = { 'x-square-signature': 'legacy' };
  expect((await post('/webhooks/square/default', squareBody(), sha1)).status).toBe(401);
  expect((await post('/webhooks/square/default', squareBody(), squareHeaders(squareBody()))).status).toBe(200);
});

it.each([-301, 301])('refuses a Stripe signature %d s from now', async (off) => {
  const { post } = await start({ endpoints: [stripeEndpoint()] });
  const headers = stripeHeaders(stripeBody(), 'whsec_1', Math.floor(RECEIVED / 1000) + off);
  expect((await post('/webhooks/stripe/default', stripeBody(), headers)).status).toBe(401);
});

describe('PayPal certificates', () => {
  const sent = (headers: Record<string, string | undefined> = {}, by = signer) => ({
    ...paypalDelivery(paypalBody(), { by, headers }).headers,
  });
  const post = async (given: GatewayGiven, headers = sent()): Promise<number> =>
    (await (await start({ endpoints: [paypal], ...given })).post('/webhooks/paypal/default', paypalBody(), headers))
      .status;

  const counting = () => {
    const asked: string[] = [];
    const pem = async (url: string): Promise<string> => {
      asked.push(url);
      return signer.pem;
    };
    return { asked, source: { pem } };
  };

  it('puts the certificate that it fetched into the record', async () => {
    await post({ certificates });
    expect(gateway?.values()[0]?.['certificates']).toEqual([signer.pem]);
  });

  it('fetches each URL once, however many events name it at once', async () => {
    const { asked, source } = counting();
    const running = await start({ endpoints: [paypal], certificates: source });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => running.post('/webhooks/paypal/default', paypalBody(), sent())),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(asked).toEqual([CERTIFICATE]);
  });

  it.each([
    'https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1',
    'http://api.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com:8443/v1/notifications/certs/CERT-1',
    'https://user@api.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com/v1/notifications/certs/../../x',
    'https://169.254.169.254/latest/meta-data',
  ])('never fetches %s', async (url) => {
    const { asked, source } = counting();
    expect(await post({ certificates: source }, sent({ 'PAYPAL-CERT-URL': url }))).toBe(401);
    expect(asked).toEqual([]);
  });

  it('answers 503 while the certificate cannot be had, so that PayPal sends again', async () => {
    const pem = () => Promise.reject(new OperatingError('SIGNATURE_UNVERIFIABLE', 'the certificate is away'));
    expect(await post({ certificates: { pem } })).toBe(503);
    expect(gateway?.records()).toEqual([]);
  });

  it.each([
    ['for another name', identity({ name: 'evil.example', issuer: authority })],
    ['of another authority', identity({ name: SIGNER, issuer: identity({ name: 'Test CA', isAuthority: true }) })],
    ['that has expired', identity({ name: SIGNER, issuer: authority, to: '2026-08-01T00:00:00Z' })],
  ])('answers no 2xx to a certificate %s', async (_what, by) => {
    expect([401, 503]).toContain(await post({ certificates: { pem: async () => by.pem } }, sent({}, by)));
    expect(gateway?.records()).toEqual([]);
  });

  it("takes PayPal's own word where there is no certificate and postback is set", async () => {
    const pem = () => Promise.reject(new OperatingError('SIGNATURE_UNVERIFIABLE', 'the certificate is away'));
    const verify = (word: boolean) => ({ verify: async () => word });
    expect(await post({ certificates: { pem }, postback: verify(true) })).toBe(200);
    expect(gateway?.values()[0]?.['certificates']).toBeUndefined();
    await gateway?.close();
    expect(await post({ certificates: { pem }, postback: verify(false) })).toBe(401);
  });
});

describe('accounts', () => {
  it('takes the account from the body where the endpoint says so, and refuses a body without', async () => {
    const shared: Endpoint = { ...squareEndpoint(), account: null, accountField: 'merchant_id' };
    const { post, values } = await start({ endpoints: [shared] });
    await post('/webhooks/square/default', squareBody(), squareHeaders(squareBody()));
    expect(values()[0]).toMatchObject({ account: 'M1' });
    const nobodys = squareBody({}, { merchant_id: 'not an account' });
    expect((await post('/webhooks/square/default', nobodys, squareHeaders(nobodys))).status).toBe(403);
    expect(values()).toHaveLength(1);
  });

  it('finds the account among those that share a URL and a secret, and refuses the shop of none', async () => {
    const shop = (account: string): Endpoint => ({
      ...shopifyEndpoint(),
      account,
      shopDomain: `${account}.myshopify.com`,
    });
    const { post, values } = await start({ endpoints: [shop('one'), shop('two')] });
    const from = (domain: string) => ({ ...shopifyHeaders(shopifyBody), 'X-Shopify-Shop-Domain': domain });
    expect((await post('/webhooks/shopify/default', shopifyBody, from('two.myshopify.com'))).status).toBe(200);
    expect(values()[0]).toMatchObject({ account: 'two' });
    const other = await post('/webhooks/shopify/default', shopifyBody, from('three.myshopify.com'));
    expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([403, 'ACCOUNT_MISMATCH']);
  });
});

describe('what cannot be taken', () => {
  const square = { endpoints: [squareEndpoint()] };
  const send = (running: RunningGateway, body = squareBody()): Promise<Response> =>
    running.post('/webhooks/square/default', body, squareHeaders(body));
  const failing = (code: 'BROKER_UNAVAILABLE' | 'RECORD_TOO_LARGE'): RecordSink => ({
    write: () => Promise.reject(new OperatingError(code, 'no')),
    close: async () => undefined,
  });

  it('answers 503 with Retry-After while Kafka takes nothing, and is not ready', async () => {
    const running = await start({ ...square, sink: failing('BROKER_UNAVAILABLE') });
    const answer = await send(running);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await fetch(`${running.address}/readyz`)).status).toBe(503);
  });

  it('answers 503 within its deadline where Kafka says nothing at all', async () => {
    const sink: RecordSink = { write: () => new Promise(() => undefined), close: async () => undefined };
    const running = await start({ ...square, sink, config: { gateway: { publish_timeout_ms: 50 } } });
    expect((await send(running)).status).toBe(503);
  });

  it('answers 413 to what the topic does not take, and to what is larger than the limit', async () => {
    const running = await start({ ...square, sink: failing('RECORD_TOO_LARGE') });
    expect((await send(running)).status).toBe(413);
    expect((await send(running, squareBody({ note: 'x'.repeat(600_000) }))).status).toBe(413);
  });

  it('answers 429 above the rate, and takes more once time has passed', async () => {
    let now = RECEIVED;
    const gatewayConfig = { gateway: { rate_per_second: 2, burst: 2 } };
    const running = await start({ ...square, config: gatewayConfig, clock: { now: () => now } });
    const statuses = [];
    for (let sent = 0; sent < 3; sent += 1) statuses.push(await send(running));
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(statuses[2]?.headers.get('retry-after')).toBe('1');
    now += 500;
    expect((await send(running)).status).toBe(200);
  });

  it.each(['/webhooks/square/other', '/webhooks/adyen/default', '/webhooks/constructor/default', '/webhooks/square'])(
    'answers 404 to %s',
    async (path) => {
      const running = await start(square);
      expect((await running.post(path, squareBody(), squareHeaders(squareBody()))).status).toBe(404);
    },
  );

  it.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-encoding': 'gzip' },
  ])('answers 415 to %j', async (headers) => {
    const running = await start(square);
    const all = { ...squareHeaders(squareBody()), ...headers } as Record<string, string>;
    expect((await running.post('/webhooks/square/default', squareBody(), all)).status).toBe(415);
  });
});

it('seals what it publishes, so that nobody else can pass for it', async () => {
  const key = { id: 'edge', secret: 'a secret of sixteen' };
  const seals = { mode: 'required', keys: [key] };
  const { post, records } = await start({ endpoints: [squareEndpoint()], config: { seals } });
  await post('/webhooks/square/default', squareBody(), squareHeaders(squareBody()));
  const [record] = records();
  const check = createSealCheck('required', [key]);
  const header = record?.headers['countersign-seal'];
  expect(check('webhook-received', Buffer.from(record?.value ?? ''), header, RECEIVED)).toBeNull();
});

it('carries the trace of the request on', async () => {
  const { post, records } = await start({ endpoints: [squareEndpoint()] });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await post('/webhooks/square/default', squareBody(), { ...squareHeaders(squareBody()), traceparent });
  expect(records()[0]?.headers['traceparent']).toBe(traceparent);
});

it('logs what it refused without a secret, a signature or a body', async () => {
  const config = {
    endpoints: [
      {
        provider: 'square',
        account: 'merchant-1',
        signature_keys: ['square-key'],
        notification_url: 'https://pay.example/webhooks/square/default',
      },
    ],
  };
  const { post, logged } = await start({ endpoints: [squareEndpoint()], config });
  const headers = squareHeaders(squareBody(), 'wrong');
  await post('/webhooks/square/default', squareBody({ note: 'a payer' }), headers);
  const text = logged.join('');
  expect(text).toContain('SIGNATURE_INVALID');
  for (const hidden of ['square-key', 'a payer', ...Object.values(headers)]) expect(text).not.toContain(hidden);
});

it('logs a flood of forged events in a few lines', async () => {
  const { post, logged } = await start({ endpoints: [squareEndpoint()] });
  for (let sent = 0; sent < 60; sent += 1) await post('/webhooks/square/default', '{}', squareHeaders('x'));
  expect(logged.length).toBeLessThanOrEqual(21);
});
