import { expect, it, vi } from 'vitest';
import { STORIES } from '../../../src/cli/live-demo/stories.ts';
import { runCli } from '../../support/run-cli.ts';

vi.setConfig({ testTimeout: 180_000 });

it.concurrent('demo --live ends each story in the verdict that it must have, says why, and ends by itself', async () => {
  const run = await runCli(['demo', '--live']);
  expect(run.stderr).toBe('');
  expect(run.code).toBe(0);
  expect(run.stdout.match(/as it should be/g)).toHaveLength(STORIES.length);
  expect(run.stdout).toContain('runs 20 times faster');
  expect(run.stdout).toMatch(/stripe-doubled +CONTRADICTED +duplicate_refund_\w+ \(duplicate_side_effect\)/);
  // A forged webhook is refused at the door.
  expect(run.stdout).toMatch(/paypal: PAYMENT\.REFUND\.PENDING refused \(401\)/);
});

it.concurrent('demo --live --json prints the verdicts alone, none of them a false VERIFIED on the way', async () => {
  const run = await runCli(['demo', '--live', '--json']);
  expect(run.code).toBe(0);
  const verdicts = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { operation_id: string; verdict: string });
  const verified = new Set(verdicts.filter(({ verdict }) => verdict === 'VERIFIED').map((one) => one.operation_id));
  expect([...verified].sort()).toEqual([
    'paypal-lost-answer',
    'paypal-settled',
    'shopify-settled',
    'square-part-1',
    'square-part-2',
    // Which it was, until the bank sent it back.
    'stripe-failed-later',
  ]);
});
