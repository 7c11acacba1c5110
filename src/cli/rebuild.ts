import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { configOption } from './role-options.ts';
import type { RebuildOptions } from './roles/run-rebuild.ts';

const HELP = `
Without --into it proves the live state: a second one is built from the topics beside it, compared payment by payment, and taken away
again. It may run while \`countersign process\` does.

With --into a whole new state is built under another Redis prefix, with another partition count if asked. Stop \`process\` first. A
rebuild that is ended goes on where it was when it is run again.

Examples:
  $ countersign rebuild --config countersign.yaml
  $ countersign rebuild --into countersign-24 --partitions 24      # the topics were widened to 24 partitions
  $ countersign rebuild --into countersign-6 --partitions 6 --for-topics v2.
`;

const partitions = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 10_000)
    throw new InvalidArgumentError(`It was "${text}", it should be a whole number from 1 to 10000.`);
  return value;
};

const prefix = (text: string): string => {
  if (/^[A-Za-z0-9._-]{1,128}$/.test(text)) return text;
  throw new InvalidArgumentError(`It was "${text}", it should be 1 to 128 letters, digits, ".", "_" or "-".`);
};

export const registerRebuild = (program: Command, finish: (code: ExitCode) => void): void => {
  program
    .command('rebuild')
    .description('build a second state from the topics and compare it with the live one, or keep it under a new prefix')
    .addOption(configOption())
    .addOption(new Option('--trust-gateway', 'take the gateway’s word that webhooks are authentic, as `process` does'))
    .addOption(new Option('--into <prefix>', 'keep the new state under this Redis prefix').argParser(prefix))
    .addOption(new Option('--partitions <count>', 'with --into: shards of the new state').argParser(partitions))
    .addOption(new Option('--for-topics <prefix>', 'with --into: the topics that it will read have this prefix'))
    .addOption(new Option('--keep', 'without --into: leave the second state where it is (<prefix>.rebuild)'))
    .addOption(new Option('--json', 'JSON, one payment that differs a line, and the sum'))
    .addHelpText(
      'after',
      HELP +
        exitCodesHelp({
          [EXIT.ok]: 'the states are equal, or the new one is complete',
          [EXIT.failed]: 'some payment differs, or a server does not answer',
          [EXIT.usage]: 'the command line or the configuration is not right',
        }),
    )
    .action(async (options: RebuildOptions) => {
      const { rebuildState } = await import('./roles/run-rebuild.ts');
      finish(await rebuildState(options));
    });
};
