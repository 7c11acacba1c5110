import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { isPrivateAddress } from '../../../src/drivers/http/private-address.ts';
import { createProviderHttp, type ProviderHttpOptions } from '../../../src/drivers/http/provider-http.ts';
import { publicLookup } from '../../../src/drivers/http/public-lookup.ts';
import type { ProviderHttp } from '../../../src/ports/provider-http.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const listening = async (server: Server | ReturnType<typeof createTcpServer>): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const open = (apiBase: string, options: Partial<ProviderHttpOptions> = {}): ProviderHttp => {
  const http = createProviderHttp({
    apiBase,
    timeoutMs: 5_000,
    maxBytes: 1_000,
    connections: 4,
    allowPrivate: true,
    ...options,
  });
  closing.push(() => http.close());
  return http;
};

const GET = { method: 'GET', path: '/v1/x?y=1', headers: { authorization: 'Bearer secret-1' } } as const;

const played = async (answer: RequestListener, options?: Partial<ProviderHttpOptions>): Promise<ProviderHttp> =>
  open(await listening(createServer(answer)), options);

test('asks below the base, with the headers given, and hands on whatever status comes', async () => {
  const server = createServer((request, response) => {
    response.writeHead(418, { 'content-type': 'application/json', 'x-echo': request.headers.authorization });
    response.end(JSON.stringify([request.method, request.url, request.headers['accept-encoding']]));
  });
  const http = open(`${await listening(server)}/prefix`);
  const answer = await http.send(GET);
  if (answer.outcome !== 'answered') throw new Error(answer.message);
  expect(answer.status).toBe(418);
  expect(answer.headers['x-echo']).toBe('Bearer secret-1');
  expect(Buffer.from(answer.body).toString()).toBe('["GET","/prefix/v1/x?y=1","identity"]');
});

test('follows no redirect', async () => {
  let count = 0;
  const http = await played((_request, response) => {
    count += 1;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  expect(await http.send(GET)).toMatchObject({ outcome: 'answered', status: 302 });
  expect(count).toBe(1);
});

test('reads no more than it may, whether the length is told or not', async () => {
  const told = await played((_request, response) => response.end('x'.repeat(1_001)));
  expect(await told.send(GET)).toMatchObject({ outcome: 'failed', kind: 'malformed' });
  const endless = await played((_request, response) => {
    const write = (): void => {
      while (response.write('x'.repeat(500))) if (response.destroyed) return;
      response.once('drain', write);
    };
    write();
  });
  expect(await endless.send(GET)).toMatchObject({ outcome: 'failed', kind: 'malformed' });
});

test.each<[string, RequestListener]>([
  ['says nothing', () => undefined],
  [
    'stops in the middle of the body',
    (_request, response) => response.writeHead(200, { 'content-length': '10' }).write('x'),
  ],
])('gives up on a server that %s', async (_name, answer) => {
  const http = await played(answer, { timeoutMs: 100 });
  expect(await http.send(GET)).toMatchObject({ outcome: 'failed', kind: 'timeout' });
});

test('gives up on a server that sends a byte now and then for ever', async () => {
  const http = await played(
    (_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    },
    { timeoutMs: 150 },
  );
  expect(await http.send(GET)).toMatchObject({ outcome: 'failed', kind: 'timeout' });
});

test('gives up when its caller does', async () => {
  const aborted = new AbortController();
  const http = await played(() => aborted.abort());
  expect(await http.send(GET, aborted.signal)).toMatchObject({ outcome: 'failed', kind: 'timeout' });
});

test.each([
  ['garbage', 'no http at all\r\n\r\n', 'malformed'],
  ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'malformed'],
])('takes %s for no answer', async (_name, bytes, kind) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  expect(await open(await listening(server)).send(GET)).toMatchObject({ outcome: 'failed', kind });
});

test('tells a lost connection without the request', async () => {
  const server = createTcpServer((socket) => socket.destroy());
  const answer = await open(await listening(server)).send(GET);
  expect(answer).toMatchObject({ outcome: 'failed', kind: 'network' });
  expect(JSON.stringify(answer)).not.toContain('secret-1');
});

test('a server that hangs holds up no other', async () => {
  const hung = await played(() => undefined, { connections: 1, timeoutMs: 3_000 });
  const quick = await played((_request, response) => response.end('{}'));
  const waiting = [hung.send(GET), hung.send(GET)];
  expect(await quick.send(GET)).toMatchObject({ outcome: 'answered' });
  await hung.close();
  expect(await Promise.all(waiting)).toMatchObject([{ outcome: 'failed' }, { outcome: 'failed' }]);
});

test.each(['http://127.0.0.1:1', 'http://[::1]:1', 'http://169.254.169.254', 'http://[::ffff:10.0.0.1]'])(
  'connects to no private address: %s',
  async (apiBase) => {
    const answer = await open(apiBase, { allowPrivate: false }).send(GET);
    expect(answer).toMatchObject({ outcome: 'failed', kind: 'network', message: expect.stringContaining('private') });
  },
);

test('a name that leads to this machine is refused when it is connected to', async () => {
  let count = 0;
  const server = createServer(() => {
    count += 1;
  });
  const port = new URL(await listening(server)).port;
  const answer = await open(`http://localhost:${port}`, { allowPrivate: false }).send(GET);
  expect(answer).toMatchObject({ outcome: 'failed', kind: 'network', message: expect.stringContaining('private') });
  expect(count).toBe(0);
});

test.each([
  [[{ address: '8.8.8.8', family: 4 }], '8.8.8.8'],
  [
    [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
    'ERR_PRIVATE_ADDRESS',
  ],
  [[], 'ERR_PRIVATE_ADDRESS'],
])('a lookup that finds %j gives %s', async (addresses, expected) => {
  const lookup = publicLookup((_name, _options, callback) => callback(null, addresses));
  const found = await new Promise((resolve) =>
    lookup('api.example', {}, (error, address) => resolve(error === null ? address : error.code)),
  );
  expect(found).toBe(expected);
});

test.each([
  ['8.8.8.8', false],
  ['172.15.255.255', false],
  ['172.16.0.1', true],
  ['100.64.0.1', true],
  ['0.0.0.0', true],
  ['255.255.255.255', true],
  ['2606:4700::1111', false],
  ['::1', true],
  ['::', true],
  ['fd00::1', true],
  ['fe80::1', true],
  ['::ffff:8.8.8.8', true],
  ['64:ff9b::a00:1', true],
  ['2002:7f00:1::', true],
  ['no address', true],
])('%s is private: %s', (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected);
});
