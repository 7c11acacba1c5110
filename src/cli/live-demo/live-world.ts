import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointsOf } from '../../config/endpoints.ts';
import { configSchema } from '../../config/schema.ts';
import { secretsOf } from '../../config/secrets.ts';
import { createWebhookDelivery } from '../../drivers/http/webhook-delivery.ts';
import { ScaledTime } from '../../drivers/scaled-time.ts';
import { createLogger } from '../../observability/logger.ts';
import { createMetrics } from '../../observability/metrics.ts';
import type { Time } from '../../ports/time.ts';
import { countersignConfig } from '../../sandbox/countersign-config.ts';
import type { CallMade } from '../../sandbox/http/answering.ts';
import { startSandboxServer } from '../../sandbox/http/server.ts';
import type { Delivery } from '../../sandbox/outbox.ts';
import { Sandbox } from '../../sandbox/sandbox.ts';
import type { Scenario } from '../../sandbox/scenario-schema.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { startEmbeddedRole } from '../serve/embedded-role.ts';

export interface LiveWorldOptions {
  readonly scenario: Scenario;
  readonly speed: number;
  /** hears each line that `serve` writes: a verdict as JSON */
  readonly verdict: (line: string) => void;
  readonly called: (call: CallMade) => void;
  readonly delivered: (delivery: Delivery) => void;
  readonly onFatal: (error: unknown) => void;
}

/** The sandbox and the whole of Countersign, in this process and on one clock. */
export interface LiveWorld {
  readonly time: Time;
  readonly sandbox: Sandbox;
  /** where the providers are */
  readonly providers: string;
  /** where Countersign is */
  readonly countersign: string;
  stop(): Promise<void>;
}

/** What Square's signature covers: a port that is only known later is no part of it. */
const PUBLIC_URL = 'http://countersign.demo';
const DELIVERY_MS = 10_000;

/** The limits that are counted on the demo's clock are wide: a tenth of a second of the wall's is seconds of it. */
const settings = (speed: number) => ({
  http: { host: '127.0.0.1', port: 0 },
  processing: { due_check_ms: 25 },
  log: { level: 'error' },
  readback: { poll_ms: 25 * speed, jitter_ms: 0, read_timeout_ms: 10_000 * speed, lease_ms: 30_000 * speed },
});

/** Starts all of it. What it keeps is in a folder that is gone with it. */
export const startLiveWorld = async (options: LiveWorldOptions): Promise<LiveWorld> => {
  const { speed, onFatal } = options;
  const scaled = new ScaledTime({ speed });
  const time: Time = { clock: scaled, timers: scaled };
  const folder = await mkdtemp(join(tmpdir(), 'countersign-live-'));
  const delivery = createWebhookDelivery({ timeoutMs: DELIVERY_MS, connections: 8 });
  let countersign = '';
  let providers = '';
  const sandbox = new Sandbox({
    scenario: options.scenario,
    time,
    deliver: (url, headers, body) => delivery.deliver(url.replace(PUBLIC_URL, countersign), headers, body),
    webhooksTo: () => PUBLIC_URL,
    address: () => providers,
    delivered: options.delivered,
    onFatal,
  });
  const server = await startSandboxServer({
    sandbox,
    host: '127.0.0.1',
    port: 0,
    called: options.called,
    failed: onFatal,
  });
  providers = server.address;

  const { accounts, endpoints, readback } = countersignConfig(sandbox);
  const given = settings(speed);
  const config = configSchema.parse({ ...given, accounts, endpoints, readback: { ...readback, ...given.readback } });
  const logger = createLogger({
    level: 'error',
    secrets: secretsOf(config),
    role: 'demo',
    destination: process.stderr,
  });
  const role = await startEmbeddedRole({
    config,
    batch: createConfiguredBatchDeps(config, {}),
    endpoints: endpointsOf(config.endpoints, '.', []),
    logger,
    metrics: createMetrics(),
    data: folder,
    verdicts: null,
    echo: options.verdict,
    stdin: false,
    follow: [],
    onFatal,
    time,
  });
  countersign = role.address;
  sandbox.start();
  return {
    time,
    sandbox,
    providers,
    countersign,
    stop: async () => {
      // Whoever still waits on the clock goes on before it ends.
      await sandbox.stop();
      await role.stop();
      await server.close();
      await delivery.close();
      scaled.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
