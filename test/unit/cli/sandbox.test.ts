import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { CLI, runCli } from '../../support/run-cli.ts';

vi.setConfig({ testTimeout: 60_000 });

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'countersign-sandbox-'));
  ending.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

it('prints a configuration that Countersign takes as it is, the same each time', async () => {
  const args = ['sandbox', '--print-config', '--port', '8099', '--webhooks-to', 'http://127.0.0.1:8081/'];
  const [run, again] = await Promise.all([runCli(args), runCli(args)]);
  expect([run.code, run.stderr]).toEqual([0, '']);
  expect(again.stdout).toBe(run.stdout);
  const file = join(folder(), 'sandbox.yaml');
  writeFileSync(file, run.stdout);
  const { config, endpoints, warnings } = loadConfig({ file, env: {} });
  expect(warnings).toEqual([]);
  expect(endpoints.map(({ provider, account }) => `${provider}:${account}`)).toEqual(
    config.accounts.map(({ provider, account }) => `${provider}:${account}`),
  );
  expect(config.accounts.map((account) => account.api_base)).toEqual(Array(4).fill('http://127.0.0.1:8099'));
  expect(run.stdout).toContain('notification_url: http://127.0.0.1:8081/webhooks/square/default');
});

it.each([
  [['--print-config', '--port', '0'], 'needs the port'],
  [['--scenario', 'nowhere.yaml'], 'SCENARIO_INVALID: The scenario nowhere.yaml cannot be read (ENOENT)'],
  [['--seed', 'seven'], 'It was "seven", it should be a whole number'],
  [['--webhooks-to', 'pay.example'], 'it should be a URL'],
  [['--speed', '2', '--manual-clock'], 'cannot be used with'],
])('refuses %j, and says why', async (args, said) => {
  const run = await runCli(['sandbox', ...args]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(said);
});

it('says in words that another process listens on its port', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  ending.push(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const run = await runCli(['sandbox', '--port', String(port)]);
  expect([run.code, run.stderr]).toEqual([
    1,
    `countersign: cannot listen on 127.0.0.1:${port}: another process listens there (EADDRINUSE)\n`,
  ]);
});

it('listens on this machine alone, is moved by hand, and ends when it is told to', async () => {
  const child = spawn(process.execPath, [...CLI, 'sandbox', '--port', '0', '--manual-clock'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ending.push(() => child.kill('SIGKILL'));
  const address = await new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const said = JSON.parse(line) as { msg: string; address: string };
      if (said.msg === 'listening') resolve(said.address);
    });
  });
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const config = await fetch(`${address}/_sandbox/config`);
  expect(await config.text()).toContain(`api_base: ${address}`);
  const moved = await fetch(`${address}/_sandbox/advance`, { method: 'POST', body: '{"by":"2d"}' });
  expect(await moved.json()).toEqual({ now: '2026-09-03T12:00:00.000Z' });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
