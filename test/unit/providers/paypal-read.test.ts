import { describe, expect, test } from 'vitest';
import type { HttpAnswer, HttpCall } from '../../../src/ports/provider-http.ts';
import type { PayPalAccount } from '../../../src/providers/account.ts';
import { CALLS, json, NOW, PlayedProvider, raw, readerOf } from '../../support/provider-answers.ts';

const ACCOUNT: PayPalAccount = { ...CALLS, provider: 'paypal', clientId: 'client-id', clientSecret: 'client-secret-1' };
const REFUND = { id: 'refund-1', status: 'COMPLETED', amount: { value: '10.00', currency_code: 'USD' } };

const isToken = (call: HttpCall): boolean => call.path === '/v1/oauth2/token';

/** Answers the token endpoint with token-1, token-2 …, and the rest as told. */
const paypal = (answer: (call: HttpCall) => HttpAnswer | Promise<HttpAnswer>, seconds = 32_400) => {
  let tokens = 0;
  return new PlayedProvider((call) => {
    if (!isToken(call)) return answer(call);
    tokens += 1;
    return json({ access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: seconds });
  });
};

test('reads a refund by its id, with a token for the client credentials', async () => {
  const http = paypal(() => json(REFUND));
  const text = JSON.stringify(REFUND);
  expect(await readerOf(ACCOUNT, http)({})).toEqual({ outcome: 'ok', httpStatus: 200, body: text });
  expect(http.paths).toEqual(['POST /v1/oauth2/token', 'GET /v2/payments/refunds/refund-1']);
  expect(http.calls[0]).toMatchObject({
    body: 'grant_type=client_credentials',
    headers: { authorization: `Basic ${Buffer.from('client-id:client-secret-1').toString('base64')}` },
  });
  expect(http.calls[1]?.headers['authorization']).toBe('Bearer token-1');
  expect(http.calls[1]?.headers['paypal-auth-assertion']).toBeUndefined();
});

test('names the merchant of the input in an unsigned assertion', async () => {
  const http = paypal(() => json(REFUND));
  await readerOf(ACCOUNT, http)({ input: { merchant_id: 'MERCHANT23456' } });
  const [header, payload, signature] = (http.calls[1]?.headers['paypal-auth-assertion'] ?? '').split('.');
  const decode = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
  expect(decode(header)).toEqual({ alg: 'none' });
  expect(decode(payload)).toEqual({ iss: 'client-id', payer_id: 'MERCHANT23456' });
  expect(signature).toBe('');
});

test('reads the order of the input for the list, and cannot without one', async () => {
  const http = paypal(() => json({ id: 'order-1', purchase_units: [{ payments: { refunds: [REFUND] } }] }));
  const read = readerOf(ACCOUNT, http);
  const listed = await read({ reads: 'payment', resourceId: null, input: { order_id: 'order-1' } });
  expect(listed.outcome).toBe('ok');
  expect(http.paths.at(-1)).toBe('GET /v2/checkout/orders/order-1');
  expect(await read({ reads: 'payment', resourceId: null })).toMatchObject({ outcome: 'error', kind: 'malformed' });
  expect(http.paths).toHaveLength(2);
});

describe('the token', () => {
  test('is fetched once for however many reads, and kept until shortly before it ends', async () => {
    let now = NOW;
    const http = paypal(() => json(REFUND), 600);
    const read = readerOf(ACCOUNT, http, { now: () => now });
    await Promise.all(Array.from({ length: 20 }, () => read({})));
    now += 530_000;
    await read({});
    expect(http.calls.filter(isToken)).toHaveLength(1);
    now += 20_000;
    await Promise.all([read({}), read({})]);
    expect(http.calls.filter(isToken)).toHaveLength(2);
  });

  test('is renewed once when the API refuses it, for all reads that it was refused to', async () => {
    const http = paypal((call) =>
      call.headers['authorization'] === 'Bearer token-1' ? json({ name: 'AUTHENTICATION_FAILURE' }, 401) : json(REFUND),
    );
    const read = readerOf(ACCOUNT, http);
    const answers = await Promise.all(Array.from({ length: 10 }, () => read({})));
    expect(answers.every(({ outcome }) => outcome === 'ok')).toBe(true);
    expect(http.calls.filter(isToken)).toHaveLength(2);
  });

  test('that is refused again is an auth error, not a loop', async () => {
    const http = paypal(() => json({ name: 'AUTHENTICATION_FAILURE' }, 401));
    const answer = await readerOf(ACCOUNT, http)({});
    expect(answer).toMatchObject({ outcome: 'error', kind: 'auth', httpStatus: 401 });
    expect(http.calls).toHaveLength(4);
  });

  test.each([
    ['wrong credentials', json({ error: 'invalid_client' }, 401), 'auth'],
    ['wrong credentials told as 400', json({ error: 'invalid_client' }, 400), 'auth'],
    ['a limit', json({ name: 'RATE_LIMIT_REACHED' }, 429, { 'retry-after': '7' }), 'rate_limited'],
    ['an outage', raw('<html>', 'text/html', 503), 'server'],
    ['no token in it', json({ token_type: 'Bearer' }), 'malformed'],
    ['a token that would split the header', json({ access_token: 'a\r\nx: y' }), 'malformed'],
    ['a missing endpoint', json({}, 404), 'malformed'],
  ])('cannot be had: %s; and the next read asks again', async (_name, answer, kind) => {
    const http = new PlayedProvider(() => answer);
    const read = readerOf(ACCOUNT, http);
    expect(await read({})).toMatchObject({ outcome: 'error', kind });
    await read({});
    expect(http.paths).toEqual(['POST /v1/oauth2/token', 'POST /v1/oauth2/token']);
  });
});

describe('every status that the API lists', () => {
  test.each([
    [
      '404',
      json({ name: 'RESOURCE_NOT_FOUND', details: [{ issue: 'INVALID_RESOURCE_ID' }] }, 404),
      { outcome: 'absent' },
    ],
    [
      '403',
      json({ name: 'NOT_AUTHORIZED', details: [{ issue: 'PERMISSION_DENIED' }] }, 403),
      { kind: 'auth', message: 'HTTP 403 PERMISSION_DENIED' },
    ],
    ['500 without a body', raw('', 'text/plain', 500), { kind: 'server', message: 'HTTP 500' }],
    [
      '500',
      json({ name: 'INTERNAL_SERVER_ERROR' }, 500),
      { kind: 'server', message: 'HTTP 500 INTERNAL_SERVER_ERROR' },
    ],
    [
      '503 with a wait',
      json({ name: 'SERVICE_UNAVAILABLE' }, 503, { 'retry-after': '3' }),
      { kind: 'server', retryAfterMs: 3000 },
    ],
    [
      '429 with seconds',
      json({ name: 'RATE_LIMIT_REACHED' }, 429, { 'retry-after': '120' }),
      { kind: 'rate_limited', retryAfterMs: 120_000 },
    ],
    [
      '429 with a date',
      json({}, 429, { 'retry-after': 'Tue, 01 Sep 2026 12:00:30 GMT' }),
      { kind: 'rate_limited', retryAfterMs: 30_000 },
    ],
    ['429 without a wait', json({}, 429, { 'retry-after': 'soon' }), { kind: 'rate_limited', retryAfterMs: null }],
    ['400', json({ name: 'INVALID_REQUEST' }, 400), { kind: 'server', message: 'HTTP 400 INVALID_REQUEST' }],
    ['422', json({ name: 'UNPROCESSABLE_ENTITY' }, 422), { kind: 'server' }],
    ['302', raw('', 'text/html', 302), { kind: 'malformed', message: 'HTTP 302' }],
    ['204', raw('', 'application/json', 204), { kind: 'malformed' }],
  ])('%s', async (_name, answer, expected) => {
    expect(
      await readerOf(
        ACCOUNT,
        paypal(() => answer),
      )({}),
    ).toMatchObject(expected);
  });
});

describe('an answer is never guessed', () => {
  test.each([
    ['a page of HTML with 200', raw('<html></html>', 'text/html')],
    ['JSON as text', raw(JSON.stringify(REFUND), 'text/plain')],
    ['half a body', json(JSON.stringify(REFUND).slice(0, 20))],
    ['no UTF-8', raw(Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 'application/json')],
    ['JSON nested too deep', json(`{"id":"refund-1","a":${'['.repeat(5000)}${']'.repeat(5000)}}`)],
    ['a list', json([REFUND])],
    ['null', json('null')],
    ['no id', json({ status: 'COMPLETED' })],
    ['another refund', json({ ...REFUND, id: 'refund-2' })],
    ['a 404 of somebody on the way', raw('<html>not here</html>', 'text/html', 404)],
  ])('%s is malformed', async (_name, answer) => {
    expect(
      await readerOf(
        ACCOUNT,
        paypal(() => answer),
      )({}),
    ).toMatchObject({ outcome: 'error', kind: 'malformed' });
  });

  test.each(['..', '.', '', 'x'.repeat(300)])(
    'an id that would leave the path is not asked for: %j',
    async (resourceId) => {
      const http = paypal(() => json(REFUND));
      expect(await readerOf(ACCOUNT, http)({ resourceId })).toMatchObject({ kind: 'malformed' });
      expect(http.paths).toEqual([]);
    },
  );

  test('an id with slashes stays one segment', async () => {
    const http = paypal(() => json({}, 404));
    await readerOf(ACCOUNT, http)({ resourceId: '../captures/x?y#z' });
    expect(http.paths.at(-1)).toBe('GET /v2/payments/refunds/..%2Fcaptures%2Fx%3Fy%23z');
  });
});

test('no message holds a credential, even where the error body quotes it', async () => {
  const quoting = json({ name: 'client-secret-1 token-1', details: [{ issue: 'Bearer token-1 is bad' }] }, 403);
  const answer = await readerOf(
    ACCOUNT,
    paypal(() => quoting),
  )({});
  expect(JSON.stringify(answer)).not.toMatch(/client-secret-1|token-1/);
});
