import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import type { ReadbackResult } from '../../src/records/index.ts';
import { CLI } from '../support/run-cli.ts';
import { readAll } from './kafka-fixture.ts';
import { type Deployment, deploy } from './process-fixture.ts';

const REFUNDS = 12;
const PARTITIONS = 4;
/** As short as the time to read and to publish lets it be. */
const LEASE_MS = 12_000;
const READ_TIMEOUT_MS = 1_000;

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const resourceOf = (id: string, at: string): object => ({
  id,
  status: 'COMPLETED',
  amount: { value: '10.00', currency_code: 'USD' },
  create_time: at,
  update_time: at,
  links: [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/CAP${id}` }],
});

interface Provider {
  readonly address: string;
  /** refund → the instants at which it was asked for */
  readonly asked: ReadonlyMap<string, readonly number[]>;
  /** refunds that were asked for while an answer about them was under way */
  readonly doubled: readonly string[];
}

const startProvider = async (at: string): Promise<Provider> => {
  const asked = new Map<string, number[]>();
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
    asked.set(id, [...(asked.get(id) ?? []), Date.now()]);
    response.once('close', () => asking.delete(id));
    setTimeout(() => send(resourceOf(id, at)), 50);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, doubled };
};

interface Worker {
  readonly child: ChildProcess;
  /** the signal that ended it, or its exit code */
  readonly ended: Promise<string | number | null>;
}

const startWorker = (deployment: Deployment, address: string, fault: string): Worker => {
  const account = { provider: 'paypal', account: 'm', client_id: 'id', client_secret: 'secret', api_base: address };
  const child = spawn(process.execPath, [...CLI, 'readback'], {
    env: {
      ...process.env,
      ...deployment.env,
      COUNTERSIGN_ACCOUNTS: JSON.stringify([{ ...account, concurrency: 2, rate_per_second: 50 }]),
      COUNTERSIGN_READBACK_ALLOW_PRIVATE: 'true',
      COUNTERSIGN_READBACK_HOSTS: '127.0.0.1',
      COUNTERSIGN_READBACK_POLL_MS: '100',
      COUNTERSIGN_READBACK_JITTER_MS: '0',
      COUNTERSIGN_READBACK_LEASE_MS: String(LEASE_MS),
      COUNTERSIGN_READBACK_READ_TIMEOUT_MS: String(READ_TIMEOUT_MS),
      COUNTERSIGN_READBACK_CALL_TIMEOUT_MS: String(READ_TIMEOUT_MS),
      COUNTERSIGN_FAULT: fault,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as string | number | null);
  ending.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended };
};

/** Refund → the instants at which the answers that the log holds were asked for. */
const publishedReads = async (deployment: Deployment): Promise<Map<string, number[]>> => {
  const found = new Map<string, number[]>();
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    for (const { value } of await readAll(deployment.reader, deployment.topic('readback-result'), partition)) {
      const { resource_id: id, requested_at: at } = JSON.parse(String(value)) as ReadbackResult;
      found.set(id ?? '', [...(found.get(id ?? '') ?? []), Date.parse(at ?? '')]);
    }
  }
  return found;
};

test('a worker that is killed between its call and its publication loses nothing: the lease comes back, and it is read again', async () => {
  const deployment = await deploy();
  ending.push(() => deployment.close());
  const at = new Date().toISOString();
  const provider = await startProvider(at);
  deployment.start();
  const ids = Array.from({ length: REFUNDS }, (_, index) => `RE${index}`);
  const base = { provider: 'paypal', account: 'm' };
  const entryOf = (topic: 'operation-started' | 'webhook-received', id: string, record: object) => ({
    topic,
    key: `paypal:m:CAP${id}`,
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
        input: { capture_id: `CAP${id}`, amount: '10.00', currency_code: 'USD' },
        action: { result: { id, status: 'PENDING' }, completed_at: at },
      }),
    ),
  );

  expect(await startWorker(deployment, provider.address, 'read-answered:3').ended).toBe('SIGKILL');
  const killedAt = Date.now();
  const answered = await publishedReads(deployment);
  // What it asked and did not publish: the one at which it was killed, and perhaps another that was under way.
  const lost = [...provider.asked].filter(([id, times]) => times.length > (answered.get(id) ?? []).length);
  expect(lost.length).toBeGreaterThan(0);
  expect(await startWorker(deployment, provider.address, 'read-published:2').ended).toBe('SIGKILL');
  startWorker(deployment, provider.address, '');

  await vi.waitFor(async () => expect([...(await publishedReads(deployment)).keys()].sort()).toEqual([...ids].sort()), {
    timeout: 60_000,
    interval: 250,
  });
  for (const [id, [first = 0]] of lost) {
    const again = provider.asked.get(id)?.find((time) => time > killedAt) ?? 0;
    // Claimed before it was asked for, and nobody else's until the lease had ended.
    expect(again - first, id).toBeGreaterThan(LEASE_MS - READ_TIMEOUT_MS);
  }
  expect(provider.doubled).toEqual([]);

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
    { timeout: 60_000, interval: 500 },
  );
  expect(provider.doubled).toEqual([]);
});
