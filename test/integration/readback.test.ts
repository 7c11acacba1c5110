import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { type ReadbackRole, startReadbackRole } from '../../src/cli/roles/readback-role.ts';
import { loadConfig } from '../../src/config/load.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { type Deployment, deploy } from './process-fixture.ts';

const REFUNDS = 12;

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const captureOf = (id: string): string => `CAP${id}`;

const resourceOf = (id: string, at: string): object => ({
  id,
  status: 'COMPLETED',
  amount: { value: '10.00', currency_code: 'USD' },
  create_time: at,
  update_time: at,
  links: [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${captureOf(id)}` }],
});

interface Provider {
  readonly address: string;
  /** refund → how often it was asked for */
  readonly asked: ReadonlyMap<string, number>;
  /** refunds that were asked for while an answer about them was under way */
  readonly doubled: readonly string[];
}

const provider = async (at: string): Promise<Provider> => {
  const asked = new Map<string, number>();
  const doubled: string[] = [];
  const asking = new Set<string>();
  const server = createServer((request, response) => {
    const send = (body: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/v1/oauth2/token') return send({ access_token: 'token', expires_in: 3_600 });
    const id = request.url?.split('/').at(-1) ?? '';
    if (asking.has(id)) doubled.push(id);
    asking.add(id);
    asked.set(id, (asked.get(id) ?? 0) + 1);
    setTimeout(() => {
      asking.delete(id);
      send(resourceOf(id, at));
    }, 50);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, doubled };
};

const startWorker = async (deployment: Deployment, address: string): Promise<ReadbackRole> => {
  const account = { provider: 'paypal', account: 'm', client_id: 'id', client_secret: 'secret', api_base: address };
  const { config } = loadConfig({
    env: {
      ...process.env,
      ...deployment.env,
      COUNTERSIGN_ACCOUNTS: JSON.stringify([{ ...account, rate_per_second: 50 }]),
      COUNTERSIGN_READBACK_ALLOW_PRIVATE: 'true',
      COUNTERSIGN_READBACK_HOSTS: '127.0.0.1',
      COUNTERSIGN_READBACK_POLL_MS: '100',
      COUNTERSIGN_READBACK_JITTER_MS: '0',
    },
  });
  const role = await startReadbackRole({
    config,
    contracts: loadContracts(),
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    onFatal: (error) => {
      throw error;
    },
  });
  ending.push(() => role.stop());
  return role;
};

test('two workers over Kafka and Redis read every due refund, none twice at once, and the verdicts follow', async () => {
  const deployment = await deploy();
  ending.push(() => deployment.close());
  const at = new Date().toISOString();
  const { address, asked, doubled } = await provider(at);
  deployment.start();
  const workers = await Promise.all([startWorker(deployment, address), startWorker(deployment, address)]);
  const ids = Array.from({ length: REFUNDS }, (_, index) => `RE${index}`);
  const base = { provider: 'paypal', account: 'm' };
  const entryOf = (topic: 'operation-started' | 'webhook-received', id: string, record: object) => ({
    topic,
    key: `paypal:m:${captureOf(id)}`,
    value: JSON.stringify(record),
    at: Date.parse(at),
  });
  await deployment.produce(
    ids.map((id) =>
      entryOf('operation-started', id, {
        kind: 'operation.started',
        operation_id: `op-${id}`,
        ...base,
        contract: { id: 'paypal.refund.completed' },
        created_at: at,
        input: { capture_id: captureOf(id), amount: '10.00', currency_code: 'USD' },
        action: { result: { id, status: 'PENDING' }, completed_at: at },
      }),
    ),
  );
  await vi.waitFor(() => expect([...asked.keys()].sort()).toEqual([...ids].sort()), { timeout: 60_000, interval: 100 });
  await deployment.produce(
    ids.map((id) =>
      entryOf('webhook-received', id, {
        kind: 'webhook.received',
        ...base,
        endpoint: 'default',
        headers: {},
        received_at: at,
        body: JSON.stringify({
          id: `WH-${id}`,
          event_type: 'PAYMENT.CAPTURE.REFUNDED',
          create_time: at,
          resource: resourceOf(id, at),
        }),
      }),
    ),
  );
  await vi.waitFor(
    async () => {
      const verified = (await deployment.verdicts()).filter(({ verdict }) => verdict.verdict === 'VERIFIED');
      expect(new Set(verified.map(({ verdict }) => verdict.operation_id)).size).toBe(REFUNDS);
    },
    { timeout: 90_000, interval: 500 },
  );
  expect(doubled).toEqual([]);
  for (const worker of workers) expect(worker.readiness()).toMatchObject({ ready: true });
});
