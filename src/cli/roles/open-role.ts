import type { Logger } from 'pino';
import { describeConfig } from '../../config/describe.ts';
import { loadConfig } from '../../config/load.ts';
import { secretsOf } from '../../config/secrets.ts';
import type { Readiness } from '../../observability/health-server.ts';
import { startHealthServer } from '../../observability/health-server.ts';
import { createLogger } from '../../observability/logger.ts';
import { collectProcessMetrics, createMetrics, type Metrics } from '../../observability/metrics.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type Stoppable, untilStopped } from '../until-stopped.ts';

/** What each long-running role may be told on its command line, over its configuration. */
export interface RoleOptions {
  readonly config?: string;
  readonly contracts?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: number;
}

/** What a role begins with: its settings, said at start with secrets hidden, its log and its metrics. */
export interface OpenedRole {
  readonly config: ReturnType<typeof loadConfig>['config'];
  readonly endpoints: ReturnType<typeof loadConfig>['endpoints'];
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * @param needs keys that the role cannot do without
 * @param destination where it logs; standard output unless given
 */
export const openRole = (
  role: string,
  options: RoleOptions,
  needs: readonly string[],
  destination?: NodeJS.WriteStream,
): OpenedRole => {
  const { config: loaded, endpoints, warnings } = loadConfig({ file: options.config, needs });
  const contracts = options.contracts ?? loaded.contracts;
  const config = {
    ...loaded,
    http: { host: options.host ?? loaded.http.host, port: options.port ?? loaded.http.port },
    data: options.data ?? loaded.data,
    ...(contracts === undefined ? {} : { contracts }),
  };
  const logger = createLogger({
    level: config.log.level,
    secrets: secretsOf(config),
    role,
    ...(destination === undefined ? {} : { destination }),
  });
  logger.info({ config: describeConfig(config) }, 'starting');
  for (const warning of warnings) logger.warn(warning);
  const metrics = createMetrics();
  collectProcessMetrics(metrics);
  return { config, endpoints, logger, metrics };
};

/** What a running role tells of itself. */
export interface RunningRole extends Stoppable {
  readiness(): Readiness;
}

/** Serves health and metrics from before a role starts until after it has stopped. Answers with the exit code. */
export const withHealth = async (
  { config, logger, metrics }: OpenedRole,
  start: (onFatal: (error: unknown) => void) => Promise<RunningRole>,
): Promise<ExitCode> => {
  let role: RunningRole | null = null;
  const health = await startHealthServer({
    ...config.http,
    metrics,
    readiness: () => role?.readiness() ?? { ready: false, reasons: ['it is starting'] },
  });
  logger.info({ address: health.address }, 'health and metrics');
  try {
    return await untilStopped(logger, config.processing.stop_timeout_ms, async (onFatal) => {
      role = await start(onFatal);
      return role;
    });
  } finally {
    await health.close();
  }
};
