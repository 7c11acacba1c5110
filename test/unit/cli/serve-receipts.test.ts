import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { publicKeys } from '../../../src/receipts/index.ts';
import { settled } from '../../support/paypal-log.ts';
import { testKey } from '../../support/receipts.ts';
import { runHere } from '../../support/run-here.ts';
import { startServe } from '../../support/run-serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-serve-receipts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
};

const key = testKey('k1');
const config = write(
  'config.yaml',
  `receipts: { keys: ${JSON.stringify(write('keys.json', JSON.stringify({ keys: [key] })))} }`,
);
const publicPath = write('keys.public.json', JSON.stringify(publicKeys([key])));
const data = join(folder, 'data');

const post = async (address: string, lines: readonly string[]): Promise<void> => {
  const response = await fetch(`${address}/v1/records`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  expect(await response.text()).not.toContain('"error"');
  expect(response.ok).toBe(true);
};

test('serve seals its verdicts, and goes on with the same chain after a kill', async () => {
  const first = await startServe(['--data', data, '--config', config]);
  await post(first.address, settled('op-1', 'R1'));
  await first.stop('SIGKILL');
  const second = await startServe(['--data', data, '--config', config]);
  await post(second.address, settled('op-2', 'R2', 'ANOTHERCAPTURE001'));
  const metrics = await (await fetch(`${second.address}/metrics`)).text();
  expect(metrics).toMatch(/^countersign_receipts_total\{outcome="sealed"\} [1-9]/m);
  expect(metrics).toContain('countersign_receipt_key_ends_timestamp_seconds{kid="k1"} +Inf');
  await second.stop('SIGTERM');

  const audited = await runHere(['receipts', 'audit', '--data', data, '--keys', publicPath]);
  expect(audited.stdout).toMatch(/^The chains are whole: [4-9] receipts in 1 chain\.$/m);
  const verified = await runHere(['receipts', 'verify', join(data, 'verdicts.jsonl'), '--keys', publicPath]);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('of 2 operations') });
  const exported = await runHere(['receipts', 'export', '--data', data]);
  expect(exported.stdout).toBe(readFileSync(join(data, 'receipts.jws'), 'utf8'));
  expect([...first.logged, ...second.logged].join('\n')).not.toContain(key.d);
}, 60_000);
