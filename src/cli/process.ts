import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import { addListenOptions, configOption, contractsOption, roleExitCodes, trustGatewayOption } from './role-options.ts';
import type { ProcessCommandOptions } from './roles/run-process.ts';

const HELP = `
Reads the input topics, judges each payment's refunds, and publishes verdicts. Run as many of it as you like: the partitions are
shared among them. Settings come from the file, and over it from the environment (COUNTERSIGN_BROKERS, COUNTERSIGN_REDIS_URL, …).

Examples:
  $ countersign topics create --config countersign.yaml
  $ countersign process --config countersign.yaml
`;

export const registerProcess = (program: Command, finish: (code: ExitCode) => void): void => {
  addListenOptions(program.command('process'))
    .description('run the keyed consumer: records in from Kafka, verdicts out')
    .addOption(configOption())
    .addOption(contractsOption())
    .addOption(trustGatewayOption())
    .addHelpText('after', HELP + roleExitCodes())
    .action(async (options: ProcessCommandOptions) => {
      // Loaded when it runs: other commands start faster without the clients of servers.
      const { runProcess } = await import('./roles/run-process.ts');
      finish(await runProcess(options));
    });
};
