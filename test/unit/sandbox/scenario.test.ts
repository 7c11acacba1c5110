import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseScenario, readScenario } from '../../../src/sandbox/read-scenario.ts';
import { scenarioSchema } from '../../../src/sandbox/scenario-schema.ts';
import { type Posted, type RunningSandbox, START, startSandbox } from '../../support/sandbox.ts';

const CHARGE = 'ch_1';
const PAYMENT = { provider: 'stripe', id: CHARGE, amount: '100.00' };

const refund = async (running: RunningSandbox, key: string, amount = '1000'): Promise<Response> => {
  const account = running.accounts.find(({ provider }) => provider === 'stripe');
  const headers = {
    authorization: `Bearer ${account?.provider === 'stripe' ? account.secretKey : ''}`,
    'idempotency-key': key,
  };
  return running.call('POST', '/v1/refunds', headers, String(new URLSearchParams({ charge: CHARGE, amount })));
};

const idOf = async (answer: Response): Promise<string> => ((await answer.json()) as { id: string }).id;

const typeOf = ({ body }: Posted): string => (JSON.parse(body) as { type: string }).type;

it.each([
  ['rate_limited', { outcome: 'error', kind: 'rate_limited' }],
  ['unavailable', { outcome: 'error', kind: 'server' }],
  ['error', { outcome: 'error', kind: 'server' }],
  ['unauthorized', { outcome: 'error', kind: 'auth' }],
  ['reset', { outcome: 'error', kind: 'network' }],
  ['html', { outcome: 'error', kind: 'server' }],
])('a rule that answers %s is an error to every adapter, and nothing else', async (answer, expected) => {
  const running = await startSandbox({ calls: [{ answer, when: {} }] });
  const ids = { paypal: 'R', square: 'R', shopify: 'gid://shopify/Refund/1', stripe: 'R' } as const;
  for (const provider of ['paypal', 'square', 'shopify', 'stripe'] as const) {
    expect({ provider, ...(await running.read(provider, { resourceId: ids[provider] })) }).toMatchObject(expected);
  }
});

it('loses an answer, and not the refund: the same key finds it', async () => {
  const running = await startSandbox({
    payments: [PAYMENT],
    calls: [{ lost: true, when: { call: 'refund.create', nth: 1 } }],
  });
  await expect(refund(running, 'k1')).rejects.toThrow();
  const [made] = running.sandbox.world.payment('stripe', CHARGE)?.refunds ?? [];
  expect(await idOf(await refund(running, 'k1'))).toBe(made?.id);
});

it('holds an answer back for as long as a rule says', async () => {
  const running = await startSandbox({
    payments: [PAYMENT],
    calls: [{ slow: '30s', when: { call: 'refund.create' } }],
  });
  let isAnswered = false;
  const answer = refund(running, 'k1').finally(() => {
    isAnswered = true;
  });
  while (running.sandbox.planned === 0) await new Promise((resolve) => setImmediate(resolve));
  await running.sandbox.advance(29_999);
  expect(isAnswered).toBe(false);
  await running.sandbox.advance(1);
  expect((await answer).status).toBe(200);
});

it('keeps an outage to its time', async () => {
  const running = await startSandbox({
    payments: [PAYMENT],
    calls: [{ answer: 'unavailable', when: { from: '10s', until: '20s' } }],
  });
  const statuses: number[] = [];
  for (let second = 0; second < 30; second += 5) {
    statuses.push((await refund(running, `k${second}`, '1')).status);
    await running.sandbox.advance(5_000);
  }
  expect(statuses).toEqual([200, 200, 503, 503, 200, 200]);
});

it('keeps to a rate limit, and says when to come again', async () => {
  const running = await startSandbox({ payments: [PAYMENT], limits: { stripe: { per_second: 1, burst: 2 } } });
  const answers = [await refund(running, 'a', '1'), await refund(running, 'b', '1'), await refund(running, 'c', '1')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers[2]?.headers.get('retry-after')).toBe('1');
  await running.sandbox.advance(1_000);
  expect((await refund(running, 'c', '1')).status).toBe(200);
});

it('drifts: a field more, a field less, a field of another type', async () => {
  const drift = { add: { 'destination_details.card.new': [1] }, remove: ['metadata'], retype: ['amount', 'status'] };
  const running = await startSandbox({ payments: [PAYMENT], calls: [{ drift, when: { call: 'refund.read' } }] });
  const id = await idOf(await refund(running, 'k1'));
  const read = await running.read('stripe', { resourceId: id });
  if (read.outcome !== 'ok') throw new Error(JSON.stringify(read));
  const body = JSON.parse(read.body) as Record<string, unknown>;
  expect(body).toMatchObject({ amount: '1000', status: ['succeeded'], destination_details: { card: { new: [1] } } });
  expect(Object.keys(body)).not.toContain('metadata');
});

it('delivers late, twice, out of order, forged, or not at all, as its rules say', async () => {
  const running = await startSandbox({
    payments: [PAYMENT],
    refunds: [{ settle_after: '1s' }],
    webhooks: [
      { when: { type: 'refund.created' }, delay: '10s', copies: 2, gap: '5s' },
      { when: { type: 'charge.refunded' }, lost: true },
      { when: { type: 'refund.updated' }, delay: '0s', forged: true },
    ],
  });
  await refund(running, 'k1');
  await running.sandbox.advance(20_000);
  expect(running.posted.map((one) => [typeOf(one), one.at - START, running.authenticate(one)])).toEqual([
    ['refund.updated', 1_000, 'SIGNATURE_INVALID'],
    ['refund.created', 10_000, 'authentic'],
    ['refund.created', 15_000, 'authentic'],
  ]);
  expect(running.sandbox.outbox.deliveries.find(({ outcome }) => outcome === 'lost')?.type).toBe('charge.refunded');
});

it('sends again what is not acknowledged, later and later, each time signed anew, and in the end gives up', async () => {
  const running = await startSandbox(
    { payments: [PAYMENT], webhooks: [{ lost: true, when: { type: 'charge.refunded' } }] },
    () => 503,
  );
  await refund(running, 'k1');
  await running.sandbox.advance(10 * 86_400_000);
  expect(running.posted).toHaveLength(16);
  expect(new Set(running.posted.map(running.authenticate))).toEqual(new Set(['authentic']));
  const waits = running.posted.slice(1).map(({ at }, index) => at - (running.posted[index]?.at ?? 0));
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
  expect(running.sandbox.planned).toBe(0);
});

it('plays events of its own: a refund in the dashboard, its failure, a reversal; and tells what cannot be done', async () => {
  const warned: string[] = [];
  const running = await startSandbox(
    {
      payments: [PAYMENT],
      events: [
        { at: '1s', do: 'refund', provider: 'stripe', payment: CHARGE, amount: '10.00' },
        { at: '2s', do: 'fail', provider: 'stripe', payment: CHARGE },
        { at: '3s', do: 'reverse', provider: 'stripe', payment: CHARGE },
        { at: '4s', do: 'refund', provider: 'stripe', payment: CHARGE },
        { at: '5s', do: 'fail', provider: 'stripe', payment: 'ch_nothing' },
      ],
    },
    () => 200,
    { warned: (message) => void warned.push(message) },
  );
  await running.sandbox.advance(10_000);
  expect(new Set(running.posted.map(typeOf))).toEqual(
    new Set(['refund.created', 'charge.refunded', 'refund.failed', 'charge.refund.updated', 'charge.dispute.created']),
  );
  expect(warned).toEqual([
    expect.stringContaining('events[3] (refund) cannot be done: payment ch_1 has nothing left'),
    expect.stringContaining('events[4] (fail) cannot be done: there is no payment ch_nothing'),
  ]);
});

it('is told what to do by HTTP, and says what it holds; what is wrong names its field', async () => {
  const running = await startSandbox();
  const { body: payment } = await running.control('payments', { provider: 'paypal', amount: '25.00', currency: 'EUR' });
  const given = { provider: 'paypal', payment: payment['id'] };
  const made = await running.control('refunds', { ...given, amount: '5.00' });
  expect(made).toMatchObject({ status: 200, body: { by: 'dashboard', state: 'completed', amount: '5.00' } });
  expect((await running.control('fail', { provider: 'paypal', refund: made.body['id'] })).body).toMatchObject({
    state: 'failed',
  });
  expect(await running.control('advance', { by: '5s' })).toMatchObject({ body: { now: '2026-09-01T12:00:05.000Z' } });
  const state = (await (await running.call('GET', '/_sandbox/state')).json()) as Record<string, unknown[]>;
  expect(state).toMatchObject({
    payments: [{ id: payment['id'], refunds: [{ state: 'failed' }] }],
    deliveries: [{ type: expect.any(String), outcome: 'acknowledged' }, { outcome: 'acknowledged' }],
  });
  const [event] = state['events'] as [{ id: string }];
  expect((await running.control('redeliver', { provider: 'paypal', event: event.id })).status).toBe(200);

  expect(await running.control('refunds', { ...given, amount: '25.01' })).toMatchObject({
    status: 409,
    body: { field: 'amount' },
  });
  expect(await running.control('refunds', { provider: 'paypal' })).toMatchObject({
    status: 400,
    body: { field: 'payment' },
  });
  expect(await running.control('payments', { provider: 'paypal', amount: '1.001' })).toMatchObject({
    status: 400,
    body: { field: 'amount' },
  });
  expect(await running.control('complete', { provider: 'paypal', refund: 'x' })).toMatchObject({
    status: 404,
    body: { field: 'refund' },
  });
});

it('takes rules while it runs, before all others, and lets go of them', async () => {
  const running = await startSandbox({ payments: [PAYMENT] });
  await running.control('calls', { answer: 'unavailable' });
  expect((await refund(running, 'k1')).status).toBe(503);
  await fetch(`${running.address}/_sandbox/calls`, { method: 'DELETE' });
  expect((await refund(running, 'k1')).status).toBe(200);
});

/** One and the same afternoon of a payment service, told by what it saw. */
const play = async (seed: number): Promise<string> => {
  const running = await startSandbox(
    {
      seed,
      payments: [PAYMENT],
      refunds: [{ visible_after: ['0s', '10s'], settle_after: ['1s', '60s'] }],
      calls: [{ answer: 'unavailable', when: { share: 0.3, call: 'refund.read' } }],
      webhooks: [{ delay: ['0s', '30s'], copies: 2, gap: ['1s', '9s'], when: { share: 0.5 } }],
    },
    ({ body }) => (body.length % 3 === 0 ? 503 : 200),
  );
  const seen: unknown[] = [];
  for (const key of ['a', 'b', 'c']) {
    const id = await idOf(await refund(running, key, '100'));
    for (let read = 0; read < 4; read += 1) {
      seen.push(await running.read('stripe', { resourceId: id }));
      await running.sandbox.advance(7_000);
    }
  }
  await running.sandbox.advance(86_400_000);
  return JSON.stringify([seen, running.posted, running.sandbox.outbox.deliveries], null, 1);
};

it('gives the same run again for the same seed, to the last byte, and another for another', async () => {
  const first = await play(7);
  expect(await play(7)).toBe(first);
  expect(await play(8)).not.toBe(first);
});

it('names file, line and field of what is wrong in a scenario', () => {
  const source = 'name: x\nrefunds:\n  - settle_after: soon\n    whenn: {}\n';
  expect(() => parseScenario(source, 'x.yaml')).toThrow(
    /x\.yaml:3 refunds\[0\]\.settle_after: was "soon"[\s\S]*x\.yaml:4 refunds\[0\]\.whenn: was an object, should be left out: a scenario has no such field/,
  );
  expect(() => parseScenario('a: [', 'x.yaml')).toThrow('The scenario is not right');
  expect(() => readScenario('nowhere.yaml')).toThrow('nowhere.yaml cannot be read (ENOENT)');
});

const SHIPPED = fileURLToPath(new URL('../../../examples/scenarios/', import.meta.url));

it.each(readdirSync(SHIPPED).filter((name) => name.endsWith('.yaml')))(
  'the shipped %s can be read, and says what it is about',
  (name) => {
    const scenario = readScenario(`${SHIPPED}${name}`);
    expect(scenario.name).toBe(name.replace(/\.yaml$/, ''));
    expect(scenario.about?.length).toBeGreaterThan(20);
    expect(scenarioSchema.parse({}).refunds).toEqual([]);
  },
);
