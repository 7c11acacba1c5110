import { type Command, Option } from 'commander';
import { EXIT, exitCodesHelp } from './exit-codes.ts';
import { portOption } from './port-option.ts';

/** `--config`, of every command that works with servers or a data folder. */
export const configOption = (): Option =>
  new Option('--config <file>', 'the configuration (YAML); default: $COUNTERSIGN_CONFIG, else the environment');

/** `--contracts`: over what the configuration says. */
export const contractsOption = (): Option =>
  new Option(
    '--contracts <dir>',
    'completion contracts to judge by, instead of the shipped ones (default: contracts of the configuration)',
  );

export const trustGatewayOption = (): Option =>
  new Option('--trust-gateway', 'take the gateway’s word that webhooks are authentic');

/** `--host` and `--port` of what listens, and `--json` as every command has it. */
export const addListenOptions = (command: Command): Command =>
  command
    .addOption(new Option('--json', 'say things as JSON, one a line: a role always does'))
    .addOption(new Option('--host <address>', 'listen here (default: http.host, 127.0.0.1)'))
    .addOption(
      new Option('--port <port>', 'listen on this port; 0: any free one (default: http.port)').argParser(portOption),
    );

/** What a long-running role answers to the shell. */
export const roleExitCodes = (): string =>
  exitCodesHelp({
    [EXIT.ok]: 'it was told to stop, and has finished what was at hand',
    [EXIT.failed]: 'it could not go on, or not stop in time',
    [EXIT.usage]: 'the command line or the configuration is not right',
  });
