import { resolve } from 'node:path';
import type { ExitCode } from '../exit-codes.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { UsageError } from '../report-error.ts';
import { makeDataFolder, rememberServed } from '../serve/data-folder.ts';
import { startEmbeddedRole } from '../serve/embedded-role.ts';
import { untilStopped } from '../until-stopped.ts';
import { openRole, type RoleOptions } from './open-role.ts';
import { runProcess } from './run-process.ts';

export interface ServeOptions extends RoleOptions {
  readonly trustGateway?: boolean;
  readonly kafka?: boolean;
  readonly verdicts?: string;
  readonly stdin?: boolean;
  readonly follow?: readonly string[];
}

/** Runs everything in one process until it is told to stop. Answers with the exit code. */
export const runServe = async (options: ServeOptions): Promise<ExitCode> => {
  if (options.kafka === true) {
    const { data, verdicts, stdin, follow } = options;
    const embedded = Object.entries({ data, verdicts, stdin, follow }).find(([, value]) => value !== undefined);
    if (embedded !== undefined)
      throw new UsageError(`--${embedded[0]} is of the embedded mode; with --kafka records come from the topics`);
    return runProcess(options);
  }
  // Verdicts may go to standard output: what is said of the run goes beside it.
  const { config, endpoints, logger, metrics } = openRole('serve', options, [], process.stderr);
  const batch = createConfiguredBatchDeps(config, options);
  await rememberServed(await makeDataFolder(config.data), {
    trustGateway: options.trustGateway === true,
    ...(config.contracts === undefined ? {} : { contracts: resolve(config.contracts) }),
  });
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
