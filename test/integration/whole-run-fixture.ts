import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createWebhookDelivery } from '../../src/drivers/http/webhook-delivery.ts';
import { systemTime } from '../../src/ports/time.ts';
import { countersignConfig } from '../../src/sandbox/countersign-config.ts';
import { startSandboxServer } from '../../src/sandbox/http/server.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { scenarioSchema } from '../../src/sandbox/scenario-schema.ts';
import { CLI } from '../support/run-cli.ts';

/** A command of ours in a process of its own. */
export interface Role {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves with the first line, past or future, that holds `text`. */
  logged(text: string): Promise<string>;
  /** Ends it, and resolves with the exit code or the signal. */
  stop(signal: NodeJS.Signals): Promise<number | string | null>;
}

export const startRole = (args: readonly string[], env: Readonly<Record<string, string>>): Role => {
  const child = spawn(process.execPath, [...CLI, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  const waiting = new Set<{ readonly text: string; readonly resolve: (line: string) => void }>();
  const hear = (line: string): void => {
    lines.push(line);
    for (const one of waiting) if (line.includes(one.text)) one.resolve(line);
  };
  createInterface(child.stdout).on('line', hear);
  createInterface(child.stderr).on('line', hear);
  return {
    child,
    lines,
    logged: async (text) => {
      const known = lines.find((line) => line.includes(text));
      if (known !== undefined) return known;
      const heard = new Promise<string>((resolve) => waiting.add({ text, resolve }));
      const died = ended.then(() => {
        throw new Error(`${args[0]} ended before it said "${text}":\n${lines.join('\n')}`);
      });
      return Promise.race([heard, died]);
    },
    stop: async (signal) => {
      child.kill(signal);
      const [code, killedBy] = (await ended) as [number | null, string | null];
      return killedBy ?? code;
    },
  };
};

export interface SandboxFor {
  readonly sandbox: Sandbox;
  readonly address: string;
  /** the configuration file that goes with it */
  readonly config: string;
  /** tells where the gateway listens; until then every webhook finds nobody */
  readonly gatewayAt: (address: string) => void;
  close(): Promise<void>;
}

/** What the signatures cover, wherever the gateway listens. */
const PUBLIC_URL = 'https://pay.example';

/** A sandbox on the system's clock, and the configuration for it in a file. */
export const startSandboxFor = async (scenario: object, settings: object): Promise<SandboxFor> => {
  const delivery = createWebhookDelivery({ timeoutMs: 10_000, connections: 8 });
  let gateway: string | null = null;
  let address = '';
  const sandbox = new Sandbox({
    scenario: scenarioSchema.parse(scenario),
    time: systemTime,
    deliver: async (url, headers, body) =>
      gateway === null ? null : delivery.deliver(url.replace(PUBLIC_URL, gateway), headers, body),
    webhooksTo: () => PUBLIC_URL,
    address: () => address,
    onFatal: (error) => {
      throw error;
    },
  });
  const server = await startSandboxServer({
    sandbox,
    host: '127.0.0.1',
    port: 0,
    failed: (error) => {
      throw error;
    },
  });
  address = server.address;
  sandbox.start();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-whole-'));
  const config = join(folder, 'countersign.yaml');
  const { accounts, endpoints, readback } = countersignConfig(sandbox);
  writeFileSync(
    config,
    JSON.stringify({ ...settings, accounts, endpoints, readback: { ...readback, poll_ms: 100, jitter_ms: 0 } }),
  );
  return {
    sandbox,
    address,
    config,
    gatewayAt: (url) => {
      gateway = url;
    },
    close: async () => {
      await sandbox.stop();
      await server.close();
      await delivery.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
