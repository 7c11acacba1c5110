import { loadContracts } from '../../contracts/load.ts';
import type { ExitCode } from '../exit-codes.ts';
import { openRole, type RoleOptions, withHealth } from './open-role.ts';
import { startReadbackRole } from './readback-role.ts';

export type ReadbackCommandOptions = RoleOptions;

/** Runs a readback worker until it is told to stop. Answers with the exit code. */
export const runReadback = async (options: ReadbackCommandOptions): Promise<ExitCode> => {
  const opened = openRole('readback', options, ['kafka.brokers', 'redis.url', 'accounts']);
  const { config, logger, metrics } = opened;
  if (config.readback.allow_private) logger.warn('readback.allow_private is on: never where money is real');
  const contracts = loadContracts(config.contracts);
  return withHealth(opened, async (onFatal) => {
    const role = await startReadbackRole({ config, contracts, logger, metrics, onFatal });
    logger.info({ accounts: config.accounts.length }, 'reading back');
    return role;
  });
};
