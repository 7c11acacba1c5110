import type { Logger } from 'pino';
import { createWebhookDelivery } from '../../drivers/http/webhook-delivery.ts';
import { ScaledTime } from '../../drivers/scaled-time.ts';
import { createLogger } from '../../observability/logger.ts';
import { systemClock } from '../../ports/clock.ts';
import { systemTimers } from '../../ports/timers.ts';
import { countersignConfig, printConfig } from '../../sandbox/countersign-config.ts';
import { startSandboxServer } from '../../sandbox/http/server.ts';
import { ManualClock } from '../../sandbox/manual-clock.ts';
import { plainScenario, readScenario } from '../../sandbox/read-scenario.ts';
import { Sandbox, type SandboxOptions } from '../../sandbox/sandbox.ts';
import type { Scenario } from '../../sandbox/scenario-schema.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../report-error.ts';
import { untilStopped } from '../until-stopped.ts';

export interface SandboxCommandOptions {
  readonly scenario?: string;
  readonly seed?: number;
  readonly host: string;
  readonly port: number;
  readonly webhooksTo: string;
  readonly speed?: number;
  readonly manualClock?: boolean;
  readonly printConfig?: boolean;
  readonly json?: boolean;
}

const STOP_MS = 10_000;
const DELIVERY_MS = 10_000;

const scenarioOf = ({ scenario: file, seed }: SandboxCommandOptions): Scenario => {
  const scenario = file === undefined ? plainScenario() : readScenario(file);
  return seed === undefined ? scenario : { ...scenario, seed };
};

const timeOf = (
  { manualClock, speed }: SandboxCommandOptions,
  scenario: Scenario,
): SandboxOptions['time'] & { close?(): void } => {
  if (manualClock === true) return new ManualClock(Date.parse(scenario.start_at));
  if (speed === undefined) return { clock: systemClock, timers: systemTimers };
  const scaled = new ScaledTime({ speed });
  return { clock: scaled, timers: scaled, close: () => scaled.close() };
};

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const printed = (options: SandboxCommandOptions): ExitCode => {
  const { host, port, webhooksTo } = options;
  if (port === 0)
    throw new UsageError('--print-config needs the port that the sandbox will listen on; --port 0 is any');
  const sandbox = new Sandbox({
    scenario: scenarioOf(options),
    time: new ManualClock(0),
    deliver: async () => null,
    webhooksTo: () => webhooksTo,
    address: () => `http://${hostInUrl(host)}:${port}`,
  });
  const config = countersignConfig(sandbox);
  process.stdout.write(options.json === true ? `${JSON.stringify(config)}\n` : printConfig(config));
  return EXIT.ok;
};

const start = async (options: SandboxCommandOptions, logger: Logger, onFatal: (error: unknown) => void) => {
  const { host, port, webhooksTo } = options;
  const scenario = scenarioOf(options);
  const time = timeOf(options, scenario);
  const delivery = createWebhookDelivery({ timeoutMs: DELIVERY_MS, connections: 16 });
  let address = `http://${hostInUrl(host)}:${port}`;
  const sandbox = new Sandbox({
    scenario,
    time,
    deliver: delivery.deliver,
    webhooksTo: () => webhooksTo,
    address: () => address,
    delivered: (one) => logger[one.outcome === 'acknowledged' ? 'info' : 'warn'](one, 'webhook'),
    warned: (message) => logger.warn(message),
    onFatal,
  });
  const server = await startSandboxServer({
    sandbox,
    host,
    port,
    called: (call) => logger.info(call, 'call'),
    failed: (error) => logger.error({ err: error }, 'a call could not be answered'),
  });
  address = server.address;
  sandbox.start();
  logger.info({ address, scenario: scenario.name, seed: scenario.seed, webhooksTo }, 'listening');
  return {
    stop: async () => {
      await server.close();
      await sandbox.stop();
      await delivery.close();
      time.close?.();
    },
  };
};

/** Runs the sandbox until it is told to stop, or prints the configuration that goes with it. Answers with the exit code. */
export const runSandbox = async (options: SandboxCommandOptions): Promise<ExitCode> => {
  if (options.printConfig === true) return printed(options);
  const logger = createLogger({ level: 'info', secrets: [], role: 'sandbox' });
  return untilStopped(logger, STOP_MS, (onFatal) => start(options, logger, onFatal));
};
