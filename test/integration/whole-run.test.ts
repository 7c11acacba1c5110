import { afterEach, expect, it, vi } from 'vitest';
import { createPaymentService } from '../../src/cli/live-demo/payment-service.ts';
import { createRefundCall } from '../../src/cli/live-demo/provider-calls.ts';
import type { Story } from '../../src/cli/live-demo/stories.ts';
import type { ProviderName, VerdictRecord } from '../../src/evaluator/index.ts';
import { systemTimers } from '../../src/ports/timers.ts';
import { createApiKey } from '../../src/producers/gateway/api-key.ts';
import { readAll } from './kafka-fixture.ts';
import { type Deployment, deploy } from './process-fixture.ts';
import { type Role, type SandboxFor, startRole, startSandboxFor } from './whole-run-fixture.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const PARTITIONS = 4;
const CONTRACTS: Readonly<Record<ProviderName, string>> = {
  paypal: 'paypal.refund.completed',
  square: 'square.refund.completed',
  shopify: 'shopify.refund.financially_completed',
  stripe: 'stripe.refund.succeeded',
};

const story = (
  operation: string,
  provider: ProviderName,
  paymentId: string,
  amount: string,
  expected: Story['expected'],
  input: Record<string, string | number>,
  onLost: Story['onLost'] = 'give_up',
): Story => ({
  operation,
  provider,
  contract: CONTRACTS[provider],
  input,
  paymentId,
  amount,
  currency: 'USD',
  startsAfterMs: 0,
  onLost,
  says: '',
  expected,
});

const VERIFIED = { verdict: 'VERIFIED', class: null } as const;
const ORDER = 'gid://shopify/Order/1073459962';
const USD = { currency: 'USD' };

const STORIES: readonly Story[] = [
  story('square-settled', 'square', 'sq_settled', '1000', VERIFIED, { payment_id: 'sq_settled', amount: 1000, ...USD }),
  story('square-other-part', 'square', 'sq_settled', '500', VERIFIED, {
    payment_id: 'sq_settled',
    amount: 500,
    ...USD,
  }),
  story('paypal-lost', 'paypal', '3C679366HH908993R', '10.00', VERIFIED, {
    capture_id: '3C679366HH908993R',
    amount: '10.00',
    currency_code: 'USD',
    order_id: '5O190127TN364715T',
    custom_id: 'paypal-lost',
  }),
  story('shopify-settled', 'shopify', ORDER, '10.00', VERIFIED, {
    order_id: ORDER,
    amount: '10.00',
    currency_code: 'USD',
  }),
  story(
    'stripe-failed-later',
    'stripe',
    'ch_fails',
    '1000',
    { verdict: 'FAILED', class: null },
    { charge_id: 'ch_fails', amount: 1000, ...USD },
  ),
  story(
    'stripe-wrong-amount',
    'stripe',
    'ch_wrong',
    '1200',
    { verdict: 'CONTRADICTED', class: 'wrong_amount' },
    { charge_id: 'ch_wrong', amount: 1020, ...USD },
  ),
  // Its first answer is reported, and then another under a new key.
  story(
    'stripe-doubled',
    'stripe',
    'ch_doubled',
    '1000',
    { verdict: 'CONTRADICTED', class: 'duplicate_side_effect' },
    { charge_id: 'ch_doubled', amount: 1000, ...USD },
  ),
];

/** Somebody else signs it. */
const FORGED = 'order_transactions/create';

const SCENARIO = {
  seed: 11,
  payments: [
    { provider: 'square', id: 'sq_settled', amount: '100.00' },
    { provider: 'paypal', id: '3C679366HH908993R', order_id: '5O190127TN364715T', amount: '100.00' },
    { provider: 'shopify', id: ORDER, amount: '100.00' },
    { provider: 'stripe', id: 'ch_fails', amount: '100.00' },
    { provider: 'stripe', id: 'ch_wrong', amount: '100.00' },
    { provider: 'stripe', id: 'ch_doubled', amount: '100.00' },
  ],
  refunds: [
    { when: { payment: 'ch_fails' }, later: [{ after: '15s', state: 'failed' }] },
    { visible_after: ['0s', '2s'], settle_after: ['1s', '4s'] },
  ],
  calls: [
    { when: { call: 'refund.create', provider: 'paypal' }, lost: true },
    { when: { call: 'refund.read', share: 0.2 }, answer: 'unavailable' },
    { when: { call: 'refund.read', provider: 'shopify', nth: 1 }, answer: 'rate_limited' },
  ],
  webhooks: [
    { when: { provider: 'square', type: 'refund.created' }, delay: '6s' },
    { when: { provider: 'square' }, delay: ['0s', '3s'], copies: 3, gap: ['100ms', '2s'] },
    { when: { type: FORGED }, forged: true, delay: '1s', copies: 4, gap: '10s' },
    { delay: ['0s', '3s'] },
  ],
};

const client = createApiKey('payments');

let deployment: Deployment;
let sandbox: SandboxFor;
const roles: Role[] = [];
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const role of roles.splice(0)) {
    if (role.child.exitCode === null && role.child.signalCode === null) await role.stop('SIGKILL');
  }
  for (const end of ending.splice(0).reverse()) await end();
});

const start = (name: 'gateway' | 'process' | 'readback'): Role => {
  const role = startRole([name, '--config', sandbox.config], deployment.env);
  roles.push(role);
  return role;
};

const startGateway = async (): Promise<{ readonly role: Role; readonly address: string }> => {
  const role = start('gateway');
  const { address } = JSON.parse(await role.logged('"msg":"listening"')) as { address: string };
  sandbox.gatewayAt(address);
  return { role, address };
};

/** The bodies of all webhooks in Kafka. */
const kept = async (): Promise<Map<string, number>> => {
  const bodies = new Map<string, number>();
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    for (const record of await readAll(deployment.reader, deployment.topic('webhook-received'), partition)) {
      const { body } = JSON.parse(Buffer.from(record.value ?? '').toString()) as { body: string };
      bodies.set(body, (bodies.get(body) ?? 0) + 1);
    }
  }
  return bodies;
};

const lastVerdicts = async (): Promise<Map<string, VerdictRecord>> => {
  const last = new Map<string, VerdictRecord>();
  for (const { verdict } of await deployment.verdicts()) {
    if ((last.get(verdict.operation_id)?.revision ?? 0) < verdict.revision) last.set(verdict.operation_id, verdict);
  }
  return last;
};

const reportSecondRefund = async (address: string): Promise<void> => {
  const call = createRefundCall(sandbox.address, sandbox.sandbox.world.accounts);
  const doubled = STORIES.find(({ operation }) => operation === 'stripe-doubled');
  if (doubled === undefined) throw new Error('no such story');
  const action = await call(doubled, 'another-key');
  const answer = await fetch(`${address}/v1/operations/stripe-doubled/action`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ action }),
  });
  expect(answer.status).toBe(202);
};

it('judges every story rightly: gateway, processor and readback on Kafka and Redis, the gateway killed on the way', async () => {
  const apiKey = { id: 'payments', hash: client.hash, scopes: ['operations:write', 'operations:read'] };
  sandbox = await startSandboxFor(SCENARIO, { gateway: { api_keys: [apiKey] } });
  ending.push(() => sandbox.close());
  deployment = await deploy();
  ending.push(() => deployment.close());
  const processor = start('process');
  start('readback');
  const first = await startGateway();
  await processor.logged('joined the group');
  const refund = createPaymentService({
    countersign: first.address,
    apiKey: client.key,
    call: createRefundCall(sandbox.address, sandbox.sandbox.world.accounts),
    timers: systemTimers,
    did: () => undefined,
  });
  await Promise.all(STORIES.map(refund));
  await reportSecondRefund(first.address);
  // What it acknowledged is kept; what it did not, comes again. The sandbox is told to come soon.
  await first.role.stop('SIGKILL');
  await startGateway();
  for (const { provider, id, type } of sandbox.sandbox.outbox.events())
    if (type !== FORGED) sandbox.sandbox.redeliver(provider, id);

  await vi.waitFor(
    async () => {
      const last = await lastVerdicts();
      const said = STORIES.map(({ operation }) => {
        const verdict = last.get(operation);
        return [operation, verdict?.verdict, verdict?.class];
      });
      expect(said).toEqual(STORIES.map(({ operation, expected }) => [operation, expected.verdict, expected.class]));
    },
    { timeout: 200_000, interval: 1_000 },
  );

  const { outbox } = sandbox.sandbox;
  const bodies = await kept();
  const acknowledged = outbox.deliveries.filter(({ outcome }) => outcome === 'acknowledged');
  expect(acknowledged.length).toBeGreaterThan(STORIES.length);
  const missing = acknowledged.filter(({ provider, event }) => !bodies.has(outbox.event(provider, event)?.body ?? ''));
  expect(missing).toEqual([]);
  // Of what is forged nothing is; the gateway has said so, once it was there.
  const forged = outbox.deliveries.filter(({ type }) => type === FORGED);
  const statuses = forged.map(({ status }) => status);
  expect(statuses).toContain(401);
  expect(statuses.filter((status) => status !== 401 && status !== null)).toEqual([]);
  expect(forged.filter(({ provider, event }) => bodies.has(outbox.event(provider, event)?.body ?? ''))).toEqual([]);
  // None was false on the way either: this one's money moved, and came back.
  const verified = (await deployment.verdicts()).filter(({ verdict }) => verdict.verdict === 'VERIFIED');
  const isHonest = new Set(
    [...STORIES.filter(({ expected }) => expected === VERIFIED), STORIES[4]].map((one) => one?.operation),
  );
  expect(verified.filter(({ verdict }) => !isHonest.has(verdict.operation_id))).toEqual([]);
  for (const role of roles.slice(0, 2)) expect(await role.stop('SIGTERM')).toBe(0);
});
