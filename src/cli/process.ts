import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import type { ProcessCommandOptions } from './roles/run-process.ts';

const HELP = `
Reads the input topics, judges each payment's refunds, and publishes verdicts. Run as many of it as you like: the partitions are
shared among them. Settings come from the file, and over it from the environment (COUNTERSIGN_BROKERS, COUNTERSIGN_REDIS_URL, …).

Examples:
  $ countersign topics create --config countersign.yaml
  $ countersign process --config countersign.yaml
`;

export const registerProcess = (program: Command, finish: (code: ExitCode) => void): void => {
  program
    .command('process')
    .description('run the keyed consumer: records in from Kafka, verdicts out')
    .addOption(
      new Option('--config <file>', 'the configuration (YAML); default: $COUNTERSIGN_CONFIG, else the environment'),
    )
    .addOption(new Option('--trust-gateway', 'take the gateway’s word that webhooks are authentic'))
    .addHelpText(
      'after',
      HELP +
        exitCodesHelp({
          [EXIT.ok]: 'it was told to stop, and has finished what was at hand',
          [EXIT.failed]: 'it could not go on, or not stop in time',
          [EXIT.usage]: 'the configuration is not right',
        }),
    )
    .action(async (options: ProcessCommandOptions) => {
      // Loaded when it runs: other commands start faster without the clients of servers.
      const { runProcess } = await import('./roles/run-process.ts');
      finish(await runProcess(options));
    });
};
