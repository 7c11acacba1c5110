import { describeConfig } from '../../config/describe.ts';
import { loadConfig } from '../../config/load.ts';
import { secretsOf } from '../../config/secrets.ts';
import { loadContracts } from '../../contracts/load.ts';
import { startHealthServer } from '../../observability/health-server.ts';
import { createLogger } from '../../observability/logger.ts';
import { collectProcessMetrics, createMetrics } from '../../observability/metrics.ts';
import type { ExitCode } from '../exit-codes.ts';
import { untilStopped } from '../until-stopped.ts';
import { type ReadbackRole, startReadbackRole } from './readback-role.ts';

export interface ReadbackCommandOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
}

/** Runs a readback worker until it is told to stop. Answers with the exit code. */
export const runReadback = async (options: ReadbackCommandOptions): Promise<ExitCode> => {
  const needs = ['kafka.brokers', 'redis.url', 'accounts'];
  const { config, warnings } = loadConfig({ file: options.config, needs });
  const logger = createLogger({ level: config.log.level, secrets: secretsOf(config), role: 'readback' });
  logger.info({ config: describeConfig(config) }, 'starting');
  for (const warning of warnings) logger.warn(warning);
  if (config.readback.allow_private) logger.warn('readback.allow_private is on: never where money is real');
  const contracts = loadContracts(config.contracts);
  const metrics = createMetrics();
  collectProcessMetrics(metrics);

  let role: ReadbackRole | null = null;
  const health = await startHealthServer({
    host: options.host ?? config.http.host,
    port: options.port ?? config.http.port,
    metrics,
    readiness: () => role?.readiness() ?? { ready: false, reasons: ['it is starting'] },
  });
  logger.info({ address: health.address }, 'health and metrics');
  try {
    return await untilStopped(logger, config.processing.stop_timeout_ms, async (onFatal) => {
      role = await startReadbackRole({ config, contracts, logger, metrics, onFatal });
      logger.info({ accounts: config.accounts.length }, 'reading back');
      return role;
    });
  } finally {
    await health.close();
  }
};
