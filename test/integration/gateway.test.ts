import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createApiKey } from '../../src/producers/gateway/api-key.ts';
import { partitionOfKey } from '../../src/records/index.ts';
import { squareBody, squareHeaders } from '../support/deliveries.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { readAll } from './kafka-fixture.ts';
import { type Deployment, deploy } from './process-fixture.ts';

const PARTITIONS = 4;
const SQUARE = {
  provider: 'square',
  account: 'merchant-1',
  signature_keys: ['square-key'],
  notification_url: 'https://pay.example/webhooks/square/default',
};
const client = createApiKey('payments');
const env = {
  COUNTERSIGN_ENDPOINTS: JSON.stringify([SQUARE]),
  COUNTERSIGN_SEALS: 'required',
  COUNTERSIGN_SEALS_KEYS: JSON.stringify([{ id: 'edge', secret: 'a seal of our own edges' }]),
  COUNTERSIGN_GATEWAY_API_KEYS: JSON.stringify([
    { id: 'payments', hash: client.hash, scopes: ['operations:write', 'operations:read'] },
  ]),
};

let deployment: Deployment;
const running: GatewayProcess[] = [];
beforeEach(async () => {
  deployment = await deploy(env);
});
afterEach(async () => {
  for (const gateway of running.splice(0)) if (gateway.child.exitCode === null) await gateway.stop('SIGKILL');
  await deployment.close();
});

const start = async (): Promise<GatewayProcess> => {
  const gateway = await startGatewayProcess(deployment.env);
  running.push(gateway);
  return gateway;
};

const eventOf = (event: number): string =>
  squareBody({ id: `pay${event}_r`, payment_id: `pay${event}` }, { event_id: `e-${event}` });

const deliver = async ({ address }: GatewayProcess, body: string, key?: string): Promise<number> => {
  const headers = { 'content-type': 'application/json', ...squareHeaders(body, key) };
  try {
    return (await fetch(`${address}/webhooks/square/default`, { method: 'POST', body, headers })).status;
  } catch {
    // The connection was cut: the provider sends it again.
    return 0;
  }
};

interface Kept {
  readonly partition: number;
  readonly key: string;
  readonly eventId: string;
  readonly seal: string | undefined;
}

const kept = async (): Promise<Kept[]> => {
  const all: Kept[] = [];
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    for (const record of await readAll(deployment.reader, deployment.topic('webhook-received'), partition)) {
      const value = JSON.parse(Buffer.from(record.value ?? '').toString()) as { body: string };
      const { event_id: eventId } = JSON.parse(value.body) as { event_id: string };
      const key = Buffer.from(record.key ?? '').toString();
      all.push({ partition, key, eventId, seal: record.headers['countersign-seal'] });
    }
  }
  return all;
};

it('has every event that it answered 2xx in Kafka, killed as often as it is', async () => {
  const EVENTS = 600;
  const open = Array.from({ length: EVENTS }, (_, event) => event);
  const accepted = new Set<string>();
  for (let life = 0; open.length > 0; life += 1) {
    const gateway = await start();
    let sent = 0;
    const again: number[] = [];
    const work = async (): Promise<void> => {
      for (let event = open.shift(); event !== undefined; event = open.shift()) {
        sent += 1;
        // In the middle of everything, with others on their way.
        if (life < 2 && sent === 150) gateway.child.kill('SIGKILL');
        if ((await deliver(gateway, eventOf(event))) === 200) accepted.add(`e-${event}`);
        else again.push(event);
        if (gateway.child.killed) break;
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    open.push(...again);
    await gateway.stop(life < 2 ? 'SIGKILL' : 'SIGTERM');
  }
  const records = await kept();
  const ids = new Set(records.map(({ eventId }) => eventId));
  expect([...accepted].filter((id) => !ids.has(id))).toEqual([]);
  expect(ids.size).toBe(EVENTS);
  for (const { key, partition, seal } of records) {
    expect(partition).toBe(partitionOfKey(key, PARTITIONS));
    expect(seal).toMatch(/^edge:/);
  }
});

it('writes nothing of a forged event, and goes on its word when it is told to stop', async () => {
  const gateway = await start();
  expect(await deliver(gateway, eventOf(1), 'another key')).toBe(401);
  expect(await deliver(gateway, eventOf(2))).toBe(200);
  expect((await kept()).map(({ eventId }) => eventId)).toEqual(['e-2']);
  expect(await (await fetch(`${gateway.address}/readyz`)).json()).toMatchObject({ status: 'ready' });
  expect(await gateway.stop('SIGTERM')).toBe(0);
  const log = gateway.lines.join('\n');
  for (const secret of ['square-key', 'a seal of our own edges', client.key, client.hash])
    expect(log).not.toContain(secret);
});

it('tells what has become of an operation that came in by HTTP', async () => {
  const gateway = await start();
  const processor = deployment.start();
  await processor.logged('joined the group');
  const ask = (path: string, body?: object): Promise<Response> =>
    fetch(`${gateway.address}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const started = await ask('/v1/operations', {
    operation_id: 'op-1',
    provider: 'square',
    account: 'merchant-1',
    contract: { id: 'square.refund.completed' },
    input: { payment_id: 'pay1', amount: 1000, currency: 'USD' },
  });
  expect(started.status).toBe(202);
  const { url } = (await started.json()) as { url: string };
  const action = { result: { refund: { id: 'pay1_r1', status: 'PENDING', payment_id: 'pay1' } } };
  expect((await ask('/v1/operations/op-1/action', { action })).status).toBe(202);
  expect(await deliver(gateway, squareBody({ reason: 'op-1' }))).toBe(200);

  interface Told {
    readonly verdict: { readonly verdict: string } | null;
    readonly conditions: readonly unknown[];
    readonly timeline: { readonly entries: readonly { readonly sentence?: string }[] } | null;
  }
  const told = async (path: string): Promise<Told> => (await (await ask(path)).json()) as Told;
  await vi.waitFor(
    async () => {
      const { timeline } = await told(url);
      const sentences = timeline?.entries.map(({ sentence = '' }) => sentence).join('\n');
      expect(sentences).toContain('Square sent the event refund.updated');
    },
    { timeout: 30_000, interval: 200 },
  );
  // By its bare id as well, though another gateway took it.
  const other = await start();
  const bare = await fetch(`${other.address}/v1/operations/op-1`, {
    headers: { authorization: `Bearer ${client.key}` },
  });
  const { verdict, conditions } = (await bare.json()) as Told;
  expect(verdict?.verdict).toMatch(/PENDING|VERIFIED/);
  expect(conditions.length).toBeGreaterThan(0);
});
