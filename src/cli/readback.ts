import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { portOption } from './port-option.ts';
import type { ReadbackCommandOptions } from './roles/run-readback.ts';

const HELP = `
Asks the providers what became of each refund, when its contract says, and publishes their answers as readback.result. Run as
many of it as you like: a due read is leased to one at a time, and all keep to an account's rate together.

Examples:
  $ countersign readback --config countersign.yaml
  $ COUNTERSIGN_HTTP_PORT=0 countersign readback --config countersign.yaml
`;

export const registerReadback = (program: Command, finish: (code: ExitCode) => void): void => {
  program
    .command('readback')
    .description('run a readback worker: reads refunds at their providers, answers out to Kafka')
    .addOption(
      new Option('--config <file>', 'the configuration (YAML); default: $COUNTERSIGN_CONFIG, else the environment'),
    )
    .addOption(new Option('--host <address>', 'answer health and metrics here (default: http.host, 127.0.0.1)'))
    .addOption(new Option('--port <port>', 'on this port; 0: any free one (default: http.port)').argParser(portOption))
    .addHelpText(
      'after',
      HELP +
        exitCodesHelp({
          [EXIT.ok]: 'it was told to stop, and has finished the calls that were under way',
          [EXIT.failed]: 'it could not go on, or not stop in time',
          [EXIT.usage]: 'the command line or the configuration is not right',
        }),
    )
    .action(async (options: ReadbackCommandOptions) => {
      // Loaded when it runs: other commands start faster without the clients of servers.
      const { runReadback } = await import('./roles/run-readback.ts');
      finish(await runReadback(options));
    });
};
