import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import { addListenOptions, configOption, contractsOption, roleExitCodes } from './role-options.ts';
import type { ReadbackCommandOptions } from './roles/run-readback.ts';

const HELP = `
Asks the providers what became of each refund, when its contract says, and publishes their answers as readback.result. Run as
many of it as you like: a due read is leased to one at a time, and all keep to an account's rate together.

Examples:
  $ countersign readback --config countersign.yaml
  $ COUNTERSIGN_HTTP_PORT=0 countersign readback --config countersign.yaml
`;

export const registerReadback = (program: Command, finish: (code: ExitCode) => void): void => {
  addListenOptions(program.command('readback'))
    .description('run a readback worker: reads refunds at their providers, answers out to Kafka')
    .addOption(configOption())
    .addOption(contractsOption())
    .addHelpText('after', HELP + roleExitCodes())
    .action(async (options: ReadbackCommandOptions) => {
      // Loaded when it runs: other commands start faster without the clients of servers.
      const { runReadback } = await import('./roles/run-readback.ts');
      finish(await runReadback(options));
    });
};
