import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isInstalled } from '../../../scripts/setup/install.mjs';
import { checkNodeVersion } from '../../../scripts/setup/node-version.mjs';
import { freePorts, isFree } from '../../../scripts/stack/ports.mjs';
import { bornAt, isRunning, startServer, stopServer } from '../../../scripts/stack/processes.mjs';
import { javaMajor } from '../../../scripts/stack/tools.mjs';
import { until } from '../../../scripts/stack/wait.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-scripts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an install', () => {
  const lock = (packages: object) => JSON.stringify({ packages });
  const wanted = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/mac': { version: '2.0.0', optional: true },
  };

  function project(installed: object | null): string {
    writeFileSync(join(folder, 'package-lock.json'), lock(wanted));
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    if (installed !== null) writeFileSync(join(folder, 'node_modules', '.package-lock.json'), lock(installed));
    return folder;
  }

  test('is whole when every locked package is there in its version, optional ones aside', () => {
    expect(isInstalled(project({ 'node_modules/a': { version: '1.0.0' } }))).toBe(true);
  });

  test.each([
    ['another version', { 'node_modules/a': { version: '1.0.1' } }],
    ['a missing package', {}],
    ['no record of it at all: it was broken off', null],
  ])('is not whole with %s', (_what, installed) => {
    expect(isInstalled(project(installed))).toBe(false);
  });
});

test('a Node that is too old is told so', () => {
  expect(() => checkNodeVersion('18.20.4')).toThrow(/needs Node >=20\.19\.0; this is 18\.20\.4/);
  expect(() => checkNodeVersion('20.18.3')).toThrow();
  for (const version of ['20.19.0', '22.0.0', '24.1.0']) expect(() => checkNodeVersion(version)).not.toThrow();
});

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['java version "1.8.0_402"', 8],
  ['openjdk version "21" 2023-09-19', 21],
  ['command not found', null],
])('%s is Java %s', (output, major) => {
  expect(javaMajor(output)).toBe(major);
});

describe('ports', () => {
  test('that were found free differ and can be listened on', async () => {
    const ports = await freePorts(5);
    expect(new Set(ports).size).toBe(5);
    for (const port of ports) expect(await isFree(port)).toBe(true);
  });

  test('that somebody listens on are not free', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await isFree(port)).toBe(false);
    server.close();
  });
});

describe('a server process', () => {
  const sleeper = ['-e', 'setInterval(() => {}, 1000)'];

  test('runs until it is stopped', async () => {
    const server = await startServer(process.execPath, sleeper, { logFile: join(folder, 'log') });
    expect(isRunning(server)).toBe(true);
    await stopServer(server);
    expect(isRunning(server)).toBe(false);
  });

  test('that does not heed SIGTERM is killed after its grace', async () => {
    const logFile = join(folder, 'log');
    const deaf = [
      '-e',
      'process.on("SIGTERM", () => console.log("no")); console.log("up"); setInterval(() => {}, 1000)',
    ];
    const server = await startServer(process.execPath, deaf, { logFile });
    const { readFileSync } = await import('node:fs');
    await until('it to be up', () => readFileSync(logFile, 'utf8').includes('up'), { timeoutMs: 10_000 });
    await stopServer(server, { graceMs: 100 });
    expect(isRunning(server)).toBe(false);
  });

  test('of another birth is somebody else’s, and is left alone', async () => {
    const other = spawn(process.execPath, sleeper, { stdio: 'ignore' });
    await once(other, 'spawn');
    const pid = other.pid ?? 0;
    await stopServer({ pid, born: 'long ago' }, { graceMs: 0 });
    expect(bornAt(pid)).not.toBeNull();
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(bornAt(pid)).toBeNull();
  });

  test('that cannot be started is an error that names it', async () => {
    await expect(startServer('no-such-program', [], { logFile: join(folder, 'log') })).rejects.toThrow(
      /no-such-program/,
    );
  });
});

test('waiting ends with what was waited for and the last answer', async () => {
  const never = () => {
    throw new Error('connection refused');
  };
  await expect(until('the broker to start', never, { timeoutMs: 20, everyMs: 1 })).rejects.toThrow(
    /the broker to start: not within 0\.02 s \(connection refused\)/,
  );
  await expect(until('it', () => false, { timeoutMs: 60_000, gone: () => 'it ended' })).rejects.toThrow(/it: it ended/);
});
