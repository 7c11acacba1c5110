import { describeConfig } from '../../config/describe.ts';
import { loadConfig } from '../../config/load.ts';
import { secretsOf } from '../../config/secrets.ts';
import { createLogger } from '../../observability/logger.ts';
import { collectProcessMetrics, createMetrics } from '../../observability/metrics.ts';
import type { ExitCode } from '../exit-codes.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { UsageError } from '../report-error.ts';
import { makeDataFolder, rememberTrust } from '../serve/data-folder.ts';
import { startEmbeddedRole } from '../serve/embedded-role.ts';
import { untilStopped } from '../until-stopped.ts';
import { runProcess } from './run-process.ts';

export interface ServeOptions {
  readonly config?: string;
  readonly trustGateway?: boolean;
  readonly kafka?: boolean;
  readonly data?: string;
  readonly verdicts?: string;
  readonly stdin?: boolean;
  readonly follow?: readonly string[];
  readonly host?: string;
  readonly port?: number;
}

/** Runs everything in one process until it is told to stop. Answers with the exit code. */
export const runServe = async (options: ServeOptions): Promise<ExitCode> => {
  if (options.kafka === true) {
    const { data, verdicts, stdin, follow, host, port } = options;
    const embedded = Object.entries({ data, verdicts, stdin, follow, host, port }).find(
      ([, value]) => value !== undefined,
    );
    if (embedded !== undefined)
      throw new UsageError(`--${embedded[0]} is of the embedded mode; with --kafka records come from the topics`);
    return runProcess(options);
  }
  const { config: loaded, endpoints, warnings } = loadConfig({ file: options.config });
  const http = { host: options.host ?? loaded.http.host, port: options.port ?? loaded.http.port };
  const config = { ...loaded, http, data: options.data ?? loaded.data };
  // Verdicts may go to standard output: what is said of the run goes beside it.
  const logger = createLogger({
    level: config.log.level,
    secrets: secretsOf(config),
    role: 'serve',
    destination: process.stderr,
  });
  logger.info({ config: describeConfig(config) }, 'starting');
  for (const warning of warnings) logger.warn(warning);
  const batch = createConfiguredBatchDeps(config, options);
  await rememberTrust(await makeDataFolder(config.data), options.trustGateway === true);
  const metrics = createMetrics();
  collectProcessMetrics(metrics);
  process.stdout.on('error', () => undefined);
  return untilStopped(logger, config.processing.stop_timeout_ms, (onFatal) =>
    startEmbeddedRole({
      config,
      batch,
      endpoints,
      logger,
      metrics,
      data: config.data,
      verdicts: options.verdicts ?? null,
      echo: (line) => process.stdout.write(`${line}\n`),
      stdin: options.stdin === true,
      follow: options.follow ?? [],
      onFatal,
    }),
  );
};
