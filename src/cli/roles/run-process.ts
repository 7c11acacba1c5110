import type { ExitCode } from '../exit-codes.ts';
import { faultPointsFrom } from '../fault-injection.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { openRole, type RoleOptions, withHealth } from './open-role.ts';
import { startProcessRole } from './process-role.ts';

export interface ProcessCommandOptions extends RoleOptions {
  readonly trustGateway?: boolean;
}

/** Runs the keyed consumer until it is told to stop. Answers with the exit code. */
export const runProcess = async (options: ProcessCommandOptions): Promise<ExitCode> => {
  const opened = openRole('process', options, ['kafka.brokers', 'redis.url']);
  const { config, logger, metrics } = opened;
  const batch = createConfiguredBatchDeps(config, options);
  return withHealth(opened, (onFatal) =>
    startProcessRole({ config, batch, logger, metrics, faults: faultPointsFrom(process.env), onFatal }),
  );
};
