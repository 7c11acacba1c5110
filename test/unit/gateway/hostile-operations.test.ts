import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/producers/gateway/api-key.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { rawHttp } from '../../support/raw-http.ts';

const { key, hash } = createApiKey('payments');
const API_KEYS = [{ id: 'payments', hash, scopes: ['operations:write', 'operations:read'] }];
const bearer = { authorization: `Bearer ${key}` };

const STARTED = JSON.stringify({
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  contract: { id: 'paypal.refund.completed' },
  created_at: '2026-09-01T12:00:00.350Z',
  input: { capture_id: '3C679366HH908993R', amount: '10.00', currency_code: 'USD' },
});

let gateway: RunningGateway;
beforeEach(async () => {
  const limits = { body_bytes: 200_000, request_timeout_ms: 400 };
  gateway = await startGateway({ config: { gateway: { api_keys: API_KEYS, ...limits } } });
});
afterEach(async () => {
  // Whatever was sent, the next one is served.
  const { status } = await gateway.post('/v1/operations', STARTED, bearer);
  const kept = gateway.values('operation-started').length;
  await gateway.close();
  expect([status, kept]).toEqual([202, 1]);
});

const head = (line: string, ...more: readonly string[]): string =>
  [
    `${line} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...more,
    '',
    '',
  ].join('\r\n');

describe('bodies', () => {
  it.each([
    [400, 'bytes that are not UTF-8', Buffer.from(STARTED.replace('op-1', 'op-\u00ff'), 'latin1')],
    [400, 'half a surrogate pair', Buffer.from(STARTED.replace('op-1', '\\ud800'))],
    [400, 'deep JSON', Buffer.from(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)],
    [400, 'zero bytes', Buffer.alloc(1_000)],
    [400, 'compressed JSON', gzipSync(STARTED)],
    [413, 'more than the limit', Buffer.from(`${STARTED.slice(0, -1)},"x":"${'y'.repeat(200_000)}"}`)],
  ])('answers %d to %s, by a problem, and keeps nothing', async (status, _what, bytes) => {
    const answer = await gateway.post('/v1/operations', new Uint8Array(bytes), bearer);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(gateway.values('operation-started')).toEqual([]);
  });

  it('takes members named like an object’s own for what they are', async () => {
    const named = STARTED.replace('"input":{', '"input":{"__proto__":{"amount":"1.00"},"constructor":1,');
    const { status } = await gateway.post('/v1/operations', named, bearer);
    expect([202, 422]).toContain(status);
    expect(({} as Record<string, unknown>)['amount']).toBeUndefined();
    if (status === 202) expect(gateway.values('operation-started')[0]?.['input']).toMatchObject({ amount: '10.00' });
    await gateway.close();
    gateway = await startGateway({ config: { gateway: { api_keys: API_KEYS } } });
  });

  it('does not read the body of one without a key', async () => {
    const answer = await rawHttp(
      gateway.port,
      'POST /v1/operations HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
    );
    expect(answer).toContain('HTTP/1.1 401');
  });
});

describe('framing', () => {
  it('answers 408 to one who sends a byte at a time', async () => {
    expect(await rawHttp(gateway.port, head('POST /v1/operations', 'Content-Length: 500'), '{')).toContain(
      'HTTP/1.1 408',
    );
  });

  it('answers 431 to a flood of headers', async () => {
    const flood = Array.from({ length: 4_000 }, (_, n) => `X-Flood-${n}: ${'y'.repeat(50)}`);
    expect(await rawHttp(gateway.port, head('POST /v1/operations', ...flood))).toContain('HTTP/1.1 431');
  });

  it('takes no request behind another’s framing', async () => {
    const smuggled = '0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
    const both = head('POST /v1/operations', 'Content-Length: 4', 'Transfer-Encoding: chunked', 'Connection: close');
    const answer = await rawHttp(gateway.port, both, smuggled);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('paths', () => {
  it.each([
    'POST /v1/operations/%00/action',
    'POST /v1/operations/%/action',
    'POST /v1/operations/..%2f..%2fhealthz/action',
    'POST /v1/operations/../../healthz/action',
    'POST /v1/operations//action',
    'POST /v1/operations/__proto__/action',
    `POST /v1/operations/${'a'.repeat(8_000)}/action`,
    `POST /v1/operations/${'%2f'.repeat(2_000)}/action`,
    'GET /v1/operations/__proto__',
    'GET /v1/operations/constructor?payment_key=__proto__',
    'GET /v1/operations/%ff',
    `GET /v1/operations/${'a%2f'.repeat(2_000)}`,
    'GET //v1/operations/op-1',
    'DELETE /v1/operations/op-1',
  ])('answers %s with no more than 4xx or 501', async (line) => {
    const body = JSON.stringify({ action: { error: { kind: 'timeout' } } });
    const sent = line.startsWith('GET') ? [] : [`Content-Length: ${body.length}`];
    const answer = await rawHttp(gateway.port, head(line, 'Connection: close', ...sent), sent.length === 0 ? '' : body);
    expect(answer).toMatch(/^HTTP\/1\.1 (4\d\d|501)/);
    expect(gateway.values('operation-started')).toEqual([]);
  });
});
