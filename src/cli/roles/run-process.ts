import { describeConfig } from '../../config/describe.ts';
import { loadConfig } from '../../config/load.ts';
import { secretsOf } from '../../config/secrets.ts';
import { startHealthServer } from '../../observability/health-server.ts';
import { createLogger } from '../../observability/logger.ts';
import { collectProcessMetrics, createMetrics } from '../../observability/metrics.ts';
import type { ExitCode } from '../exit-codes.ts';
import { faultPointsFrom } from '../fault-injection.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { untilStopped } from '../until-stopped.ts';
import { type ProcessRole, startProcessRole } from './process-role.ts';

export interface ProcessCommandOptions {
  readonly config?: string;
  readonly trustGateway?: boolean;
}

/** Runs the keyed consumer until it is told to stop. Answers with the exit code. */
export const runProcess = async (options: ProcessCommandOptions): Promise<ExitCode> => {
  const { config, warnings } = loadConfig({ file: options.config, needs: ['kafka.brokers', 'redis.url'] });
  const logger = createLogger({ level: config.log.level, secrets: secretsOf(config), role: 'process' });
  logger.info({ config: describeConfig(config) }, 'starting');
  for (const warning of warnings) logger.warn(warning);
  const batch = createConfiguredBatchDeps(config, options);
  const metrics = createMetrics();
  collectProcessMetrics(metrics);

  let role: ProcessRole | null = null;
  const health = await startHealthServer({
    ...config.http,
    metrics,
    readiness: () => role?.readiness() ?? { ready: false, reasons: ['it is starting'] },
  });
  logger.info({ address: health.address }, 'health and metrics');
  try {
    return await untilStopped(logger, config.processing.stop_timeout_ms, async (onFatal) => {
      role = await startProcessRole({ config, batch, logger, metrics, faults: faultPointsFrom(process.env), onFatal });
      return role;
    });
  } finally {
    await health.close();
  }
};
