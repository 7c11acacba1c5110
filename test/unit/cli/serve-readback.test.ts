import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { type RunningServe, startServe } from '../../support/run-serve.ts';

vi.setConfig({ testTimeout: 180_000 });

const REFUND = '1JU08902781691411';
const CAPTURE = '3C679366HH908993R';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** PayPal, as far as a readback needs it: the first token is refused, which must be renewed. */
const paypal = async (seen: string[], refund: object): Promise<string> => {
  let tokens = 0;
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/v1/oauth2/token') {
      tokens += 1;
      send(200, { access_token: `access-token-${tokens}`, expires_in: 32_400 });
    } else if (request.headers.authorization !== 'Bearer access-token-2') {
      send(401, { name: 'AUTHENTICATION_FAILURE', message: `bad ${request.headers.authorization}` });
    } else send(200, refund);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const post = (serve: RunningServe, record: object): Promise<Response> =>
  fetch(`${serve.address}/v1/records`, {
    method: 'POST',
    body: JSON.stringify(record),
    headers: { 'content-type': 'application/json' },
  });

it('serve with an account reads a refund back at its provider, and no log line holds a credential', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-readback-'));
  ending.push(() => rmSync(folder, { recursive: true, force: true }));
  const seen: string[] = [];
  const now = new Date().toISOString();
  const resource = {
    id: REFUND,
    status: 'COMPLETED',
    amount: { value: '10.00', currency_code: 'USD' },
    create_time: now,
    update_time: now,
    links: [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${CAPTURE}` }],
  };
  const config = join(folder, 'countersign.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      log: { level: 'trace' },
      readback: { allow_private: true, hosts: ['127.0.0.1'], poll_ms: 50, jitter_ms: 0 },
      accounts: [
        {
          provider: 'paypal',
          account: 'merchant-1',
          client_id: 'client-1',
          client_secret: 'the-client-secret',
          api_base: await paypal(seen, resource),
        },
      ],
    }),
  );
  const serve = await startServe(['--data', join(folder, 'data'), '--config', config]);
  ending.push(() => serve.stop('SIGTERM'));
  let logged = '';
  serve.child.stderr?.on('data', (chunk: Buffer) => {
    logged += chunk.toString();
  });
  const base = { operation_id: 'op-1', provider: 'paypal', account: 'merchant-1' };
  const records = [
    {
      kind: 'operation.started',
      ...base,
      contract: { id: 'paypal.refund.completed' },
      created_at: now,
      input: { capture_id: CAPTURE, amount: '10.00', currency_code: 'USD' },
      action: { result: { id: REFUND, status: 'PENDING' }, completed_at: now },
    },
    {
      kind: 'webhook.received',
      provider: 'paypal',
      account: 'merchant-1',
      endpoint: 'default',
      headers: {},
      received_at: now,
      body: JSON.stringify({ id: 'WH-1', event_type: 'PAYMENT.CAPTURE.REFUNDED', create_time: now, resource }),
    },
  ];
  for (const record of records) expect((await post(serve, record)).status).toBe(202);

  await vi.waitFor(
    async () => {
      const answer = await fetch(`${serve.address}/v1/operations/op-1`);
      expect(((await answer.json()) as { verdict: { verdict: string } }).verdict.verdict).toBe('VERIFIED');
    },
    { timeout: 60_000, interval: 200 },
  );
  expect(seen).toEqual([
    'POST /v1/oauth2/token',
    `GET /v2/payments/refunds/${REFUND}`,
    'POST /v1/oauth2/token',
    `GET /v2/payments/refunds/${REFUND}`,
  ]);
  const ready = (await (await fetch(`${serve.address}/readyz`)).json()) as { facts: object };
  expect(ready.facts).toMatchObject({ accounts: { 'paypal:merchant-1': { left_alone: false } } });
  expect(await (await fetch(`${serve.address}/metrics`)).text()).toContain(
    'countersign_reads_total{provider="paypal",outcome="ok"} 1',
  );
  expect(logged).not.toMatch(/the-client-secret|access-token-\d/);
});
