import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { startLiveWorld } from '../../../src/cli/live-demo/live-world.ts';
import { createPaymentService } from '../../../src/cli/live-demo/payment-service.ts';
import { createRefundCall } from '../../../src/cli/live-demo/provider-calls.ts';
import type { Story } from '../../../src/cli/live-demo/stories.ts';
import type { VerdictRecord } from '../../../src/evaluator/index.ts';
import { readScenario } from '../../../src/sandbox/read-scenario.ts';
import type { Scenario } from '../../../src/sandbox/scenario-schema.ts';

vi.setConfig({ testTimeout: 180_000 });

const FOLDER = fileURLToPath(new URL('../../../examples/scenarios/', import.meta.url));
const SCENARIOS = readdirSync(FOLDER).filter((name) => name !== 'live-demo.yaml');

/** Of the worlds' clock: past every window of the contracts. */
const PLAYED_MS = 260_000;

const CONTRACTS = {
  paypal: 'paypal.refund.completed',
  square: 'square.refund.completed',
  shopify: 'shopify.refund.financially_completed',
  stripe: 'stripe.refund.succeeded',
} as const;

/** A refund of ten dollars of each payment. */
const storiesOf = ({ payments }: Scenario): readonly Story[] =>
  payments.map(({ provider, id = '', order_id = '' }, index) => {
    const operation = `op-${provider}`;
    const inputs = {
      paypal: { capture_id: id, amount: '10.00', currency_code: 'USD', order_id, custom_id: operation },
      square: { payment_id: id, amount: 1000, currency: 'USD' },
      shopify: { order_id: id, amount: '10.00', currency_code: 'USD' },
      stripe: { charge_id: id, amount: 1000, currency: 'usd' },
    };
    return {
      operation,
      provider,
      contract: CONTRACTS[provider],
      input: inputs[provider],
      paymentId: id,
      amount: provider === 'square' || provider === 'stripe' ? '1000' : '10.00',
      currency: 'USD',
      startsAfterMs: index * 1_000,
      onLost: 'give_up',
      says: '',
      expected: { verdict: 'VERIFIED', class: null },
    };
  });

/** Plays a scenario with an honest service, and says how each operation ended and what truly became of its refunds. */
const play = async (name: string) => {
  const scenario = readScenario(`${FOLDER}${name}`);
  const last = new Map<string, VerdictRecord>();
  const failures: unknown[] = [];
  const world = await startLiveWorld({
    scenario,
    speed: 60,
    verdict: (line) => {
      const verdict = JSON.parse(line) as VerdictRecord;
      last.set(verdict.operation_id, verdict);
    },
    called: () => undefined,
    delivered: () => undefined,
    onFatal: (error) => failures.push(error),
  });
  const refund = createPaymentService({
    countersign: world.countersign,
    apiKey: null,
    call: createRefundCall(world.providers, world.sandbox.world.accounts),
    timers: world.time.timers,
    did: () => undefined,
  });
  const stories = storiesOf(scenario);
  await Promise.all(stories.map(refund));
  await world.time.timers.wait(PLAYED_MS);
  await world.stop();
  expect(failures).toEqual([]);
  return stories.map(({ operation, provider, paymentId }) => {
    const refunds = world.sandbox.world.payment(provider, paymentId)?.refunds ?? [];
    const own = refunds.filter(({ by }) => by === 'api').map(({ state }) => state);
    return { operation, verdict: last.get(operation)?.verdict, own };
  });
};

it.concurrent.each(SCENARIOS)('no verdict is false in the shipped %s', async (name) => {
  for (const ended of await play(name)) {
    // One honest refund at most: nothing was wrong with any.
    expect(ended).not.toMatchObject({ verdict: 'CONTRADICTED' });
    if (ended.verdict === 'VERIFIED') expect(ended).toMatchObject({ own: ['completed'] });
    if (ended.verdict === 'FAILED') expect(ended.own).not.toContain('completed');
    if (name === 'eventual.yaml') expect(ended).toMatchObject({ verdict: 'VERIFIED' });
  }
});
