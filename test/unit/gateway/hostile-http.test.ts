import { afterEach, describe, expect, it } from 'vitest';
import { squareBody, squareEndpoint, squareHeaders } from '../../support/deliveries.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { rawHttp as raw } from '../../support/raw-http.ts';

let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const start = async (config: Record<string, unknown> = {}): Promise<RunningGateway> => {
  gateway = await startGateway({ endpoints: [squareEndpoint()], config: { gateway: config } });
  return gateway;
};

const PATH = '/webhooks/square/default';
const head = (...lines: readonly string[]): string =>
  [`POST ${PATH} HTTP/1.1`, 'Host: pay.example', 'Content-Type: application/json', ...lines, '', ''].join('\r\n');
const signature = (body: string): string =>
  `X-Square-HmacSha256-Signature: ${Object.values(squareHeaders(body))[0] ?? ''}`;

const isAlive = async ({ post, records }: RunningGateway): Promise<void> => {
  const kept = records().length;
  expect((await post(PATH, squareBody(), squareHeaders(squareBody()))).status).toBe(200);
  expect(records()).toHaveLength(kept + 1);
};

const body = squareBody();
const length = `Content-Length: ${Buffer.byteLength(body)}`;

describe('headers', () => {
  it('takes a signature that a proxy has doubled, and none that stands beside another', async () => {
    const running = await start();
    const once = await raw(running.port, head('Connection: close', length, signature(body), signature(body)), body);
    expect(once).toContain('HTTP/1.1 200');
    const other = head('Connection: close', length, signature(body), 'X-Square-HmacSha256-Signature: c29tZXRoaW5n');
    expect(await raw(running.port, other, body)).toContain('HTTP/1.1 401');
    expect(running.records()).toHaveLength(1);
  });

  it('answers 431 to a flood of headers, and lives on', async () => {
    const running = await start();
    const flood = Array.from({ length: 4_000 }, (_, n) => `X-Flood-${n}: ${'y'.repeat(50)}`);
    expect(await raw(running.port, head(...flood))).toContain('HTTP/1.1 431');
    await isAlive(running);
  });

  it('reads a header named __proto__ as any other', async () => {
    const running = await start();
    const headers = head('Connection: close', length, '__proto__: x', 'constructor: y', signature(body));
    expect(await raw(running.port, headers, body)).toContain('HTTP/1.1 200');
  });
});

describe('framing', () => {
  it.each([
    [
      'both a length and chunks',
      ['Content-Length: 4', 'Transfer-Encoding: chunked'],
      '0\r\n\r\nGET /x HTTP/1.1\r\n\r\n',
    ],
    ['two lengths', ['Content-Length: 4', 'Content-Length: 5'], 'aaaaa'],
    ['a length that is no number', ['Content-Length: +4'], 'aaaa'],
    ['an unknown transfer coding', ['Transfer-Encoding: xchunked'], '4\r\naaaa\r\n0\r\n\r\n'],
    ['a chunk length that is no number', ['Transfer-Encoding: chunked'], 'zz\r\naaaa\r\n0\r\n\r\n'],
    ['a space before the colon', ['Content-Length : 4'], 'aaaa'],
  ])('refuses a request with %s', async (_what, lines, sent) => {
    const running = await start({ request_timeout_ms: 500 });
    const answer = await raw(running.port, head(...lines, 'Connection: close'), sent);
    expect(answer).toMatch(/^HTTP\/1\.1 (4\d\d|501)/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(running.records()).toEqual([]);
    await isAlive(running);
  });

  it('answers 408 to one who sends a byte at a time, and holds nobody else up', async () => {
    const running = await start({ request_timeout_ms: 300 });
    const slow = raw(running.port, head('Content-Length: 1000'), '{');
    const slower = raw(running.port, `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-Slow: `);
    await isAlive(running);
    expect(await slow).toContain('HTTP/1.1 408');
    expect(await slower).toMatch(/^(HTTP\/1\.1 408|$)/);
  });

  it('drops connections above the limit', async () => {
    const running = await start({ connections: 2, request_timeout_ms: 500 });
    const held = [raw(running.port, 'POST '), raw(running.port, 'POST ')];
    const third = await raw(running.port, head('Connection: close', length, signature(body)), body);
    expect(third).toBe('');
    await Promise.all(held);
  });

  it('answers 413 to a body that is announced or sent too large', async () => {
    const running = await start({ body_bytes: 1_024, request_timeout_ms: 1_000 });
    expect(await raw(running.port, head('Connection: close', 'Content-Length: 1000000000'))).toContain('HTTP/1.1 413');
    const chunks = `7d0\r\n${'a'.repeat(2_000)}\r\n0\r\n\r\n`;
    const chunked = head('Connection: close', 'Transfer-Encoding: chunked', signature('x'));
    expect(await raw(running.port, chunked, chunks)).toContain('HTTP/1.1 413');
    await isAlive(await restart());
  });

  const restart = async (): Promise<RunningGateway> => {
    await gateway?.close();
    return start();
  };
});

describe('bodies', () => {
  it.each([
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['deep JSON', Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)],
    ['nothing', Buffer.alloc(0)],
    ['zero bytes', Buffer.alloc(1_000)],
    ['a member named __proto__', Buffer.from('{"__proto__":{"merchant_id":"M1"},"type":"refund.updated"}')],
  ])('keeps a signed body of %s as it came, for the consumer to judge', async (_what, bytes) => {
    const running = await start();
    const { createHmac } = await import('node:crypto');
    const made = createHmac('sha256', 'square-key').update('https://pay.example/webhooks/square/default').update(bytes);
    const headers = { 'x-square-hmacsha256-signature': made.digest('base64') };
    const answer = await running.post(PATH, new Uint8Array(bytes), headers);
    expect(answer.status).toBe(200);
    const [value] = running.values();
    const kept =
      typeof value?.['body'] === 'string'
        ? Buffer.from(value['body'])
        : Buffer.from(`${value?.['body_base64']}`, 'base64');
    expect(kept.equals(bytes)).toBe(true);
  });

  it('gives no work to a forged deep body but its signature', async () => {
    const running = await start();
    const deep = `${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}`;
    expect((await running.post(PATH, deep, squareHeaders('x'))).status).toBe(401);
    await isAlive(running);
  });
});

describe('paths', () => {
  it.each([
    '/webhooks/square/..%2fdefault',
    '/webhooks/square/default%00',
    '/webhooks/square/default/',
    '/webhooks/../webhooks/square/other',
    '/webhooks/square/%',
    '/webhooks//default',
    '/WEBHOOKS/square/default',
    `/webhooks/square/${'a'.repeat(5_000)}`,
    '/webhooks/__proto__/default',
    '//webhooks/square/default',
  ])('answers %s with no more than 4xx', async (path) => {
    const running = await start();
    const request = [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Connection: close', length];
    const answer = await raw(running.port, `${[...request, signature(body)].join('\r\n')}\r\n\r\n`, body);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
    expect(running.records()).toEqual([]);
  });

  it('does not tell one endpoint from another by a tail or a query', async () => {
    const running = await start();
    expect((await running.post(`${PATH}?x=1`, body, squareHeaders(body))).status).toBe(200);
  });
});
