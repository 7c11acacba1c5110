import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RefundingPayPal, startRefundingPayPal } from '../../support/refunding-paypal.ts';
import { type RunningServe, startServe } from '../../support/run-serve.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SCRIPT = fileURLToPath(new URL('../../../examples/payment-service/refund.sh', import.meta.url));
const CAPTURE = '3C679366HH908993R';
const KEY = 'csk_test_key';
const hasTools = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0);

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// Where there is no curl the example cannot run, and nobody will copy it.
describe.skipIf(!hasTools)('refund.sh against `countersign serve`', () => {
  let folder: string;
  let paypal: RefundingPayPal;
  let serve: RunningServe;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-curl-'));
    paypal = await startRefundingPayPal();
    const account = { provider: 'paypal', account: 'merchant-1', client_id: 'id', client_secret: 'secret' };
    const config = join(folder, 'countersign.yaml');
    writeFileSync(
      config,
      JSON.stringify({
        readback: { allow_private: true, hosts: ['127.0.0.1'], poll_ms: 50, jitter_ms: 0 },
        accounts: [{ ...account, api_base: paypal.address }],
      }),
    );
    serve = await startServe(['--data', join(folder, 'data'), '--config', config]);
  });
  afterAll(async () => {
    await serve.stop('SIGTERM');
    paypal.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const refund = (args: readonly string[], seconds = 30): Promise<Run> =>
    new Promise((resolve) => {
      const env = {
        PATH: process.env['PATH'],
        COUNTERSIGN_URL: serve.address,
        COUNTERSIGN_KEY: KEY,
        PAYPAL_URL: paypal.address,
        PAYPAL_TOKEN: 'token',
        VERDICT_SECONDS: String(seconds),
      };
      execFile(SCRIPT, args, { env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });

  /** The event that PayPal sends once a refund is complete. */
  const announce = async (id: string): Promise<void> => {
    const resource = paypal.refunds.get(id) ?? {};
    const body = JSON.stringify({
      id: `WH-${id}`,
      event_type: 'PAYMENT.CAPTURE.REFUNDED',
      create_time: resource['create_time'],
      resource,
    });
    const at = new Date().toISOString();
    const base = { provider: 'paypal', account: 'merchant-1', endpoint: 'default', headers: {}, received_at: at };
    const answer = await fetch(`${serve.address}/v1/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'webhook.received', ...base, body }),
    });
    expect(answer.status).toBe(202);
  };

  test('a settled refund is verified, and a second run is the same refund', async () => {
    const running = refund(['r-1', CAPTURE, '10.00', 'USD'], 60);
    await vi.waitFor(() => expect(paypal.refunds.has('r-1')).toBe(true), { timeout: 30_000 });
    await announce('r-1');
    expect(await running).toMatchObject({ code: 0, stdout: 'VERIFIED: all_conditions_hold\n' });
    expect(await refund(['r-1', CAPTURE, '10.00', 'USD'])).toMatchObject({ code: 0 });
    expect(paypal.keys).toEqual(['r-1', 'r-1']);
    expect([...paypal.refunds.keys()]).toEqual(['r-1']);
  });

  test('a lost answer is asked for once more under the same key', async () => {
    paypal.play('lost');
    await refund(['r-4', 'CAP4', '10.00', 'USD'], 1);
    expect(paypal.keys.filter((key) => key === 'r-4')).toHaveLength(2);
    expect(JSON.stringify(await (await fetch(`${serve.address}/v1/operations/r-4`)).json())).not.toContain('network');
  });

  test('an answer that stays lost is published as lost, and it says to wait', async () => {
    paypal.play('lost', 'lost');
    expect(await refund(['r-2', 'CAP2', '10.00', 'USD'], 1)).toMatchObject({ code: 3 });
    const answer = await fetch(`${serve.address}/v1/operations/r-2`);
    const { timeline } = (await answer.json()) as { timeline: { entries: { form: string; text?: string }[] } };
    expect(JSON.stringify(timeline.entries)).toContain('network');
  });

  test('an amount that the contract refuses ends before PayPal is called, and is named', async () => {
    const run = await refund(['r-3', 'CAP3', '10.0', 'USD']);
    expect(run.code).toBe(5);
    expect(run.stderr).toContain('"field":"input.amount"');
    expect(paypal.keys).not.toContain('r-3');
    expect(await refund(['r-3', 'CAP3', '10.00"', 'USD'])).toMatchObject({ code: 2 });
  });
});
