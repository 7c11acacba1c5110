import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { parseInstantOption } from './instant-option.ts';
import { configOption } from './role-options.ts';
import type {
  DeadLetterCommandOptions,
  DeadLetterListOptions,
  RedriveCommandOptions,
} from './roles/run-dead-letter.ts';

const count = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError(`It was "${text}", it should be a whole number, 1 or more.`);
  return value;
};

const dataOption = (): Option =>
  new Option('--data <dir>', 'the data folder of `countersign serve`, running or not, instead of Kafka');

const withFilters = (command: Command): Command =>
  command
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(new Option('--code <code>', 'only those with this error code'))
    .addOption(new Option('--topic <topic>', 'only those from this topic, with or without its prefix'))
    .addOption(new Option('--since <instant>', 'only those set aside since').argParser(parseInstantOption));

const REDRIVE_HELP = `
Without --yes nothing is sent: each letter is tried on today's contracts, secrets and schemas, and what would become of it is
told. With --yes the letters that would be taken are sent again with their own bytes, key and headers, to the partition of their
payment. The transaction that sends a letter marks it in the dead-letter topic, so none is sent again twice.

Examples:
  $ countersign dead-letter redrive --code SIGNATURE_INVALID --since 2026-11-30T00:00:00Z     # what would happen
  $ countersign dead-letter redrive --code SIGNATURE_INVALID --since 2026-11-30T00:00:00Z --yes
  $ countersign dead-letter redrive 3:17 3:18 --yes
`;

const SERVER_CODES = {
  [EXIT.failed]: 'a server does not answer',
  [EXIT.usage]: 'the command line or the configuration is not right',
};

/** `countersign dead-letter list|show|redrive` */
export const registerDeadLetter = (program: Command, finish: (code: ExitCode) => void): void => {
  const group = program.command('dead-letter').description('what was set aside: list it, look at it, send it again');
  const json = new Option('--json', 'JSON, one letter a line');

  withFilters(group.command('list').description('list dead letters, oldest first'))
    .addOption(new Option('--limit <count>', 'at most so many').argParser(count).default(1000))
    .addOption(new Option('--redriven', 'also those that have been sent again'))
    .addOption(json)
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign dead-letter list --code SIGNATURE_INVALID --since 2026-11-30T00:00:00Z\n',
    )
    .addHelpText('after', exitCodesHelp({ [EXIT.ok]: 'they are listed', ...SERVER_CODES }))
    .action(async (options: DeadLetterListOptions) => {
      const { listDeadLetters } = await import('./roles/run-dead-letter.ts');
      finish(await listDeadLetters(options));
    });

  group
    .command('show')
    .description('show one dead letter: its bytes decoded, its headers, where it came from and why it is here')
    .argument('<letter>', '<partition>:<offset> in the dead-letter topic, as `list` names it')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(json)
    .addHelpText('after', '\nExample:\n  $ countersign dead-letter show 3:17\n')
    .addHelpText('after', exitCodesHelp({ [EXIT.ok]: 'it is shown', ...SERVER_CODES }))
    .action(async (id: string, options: DeadLetterCommandOptions) => {
      const { showDeadLetter } = await import('./roles/run-dead-letter.ts');
      finish(await showDeadLetter(id, options));
    });

  withFilters(group.command('redrive').description('send dead letters again; a dry run unless --yes is given'))
    .argument('[letter...]', '<partition>:<offset>, as `list` names them; without: all that the options mean')
    .addOption(new Option('--all', 'every dead letter'))
    .addOption(new Option('--refused', 'also those that would come back'))
    .addOption(new Option('--trust-gateway', 'take the gateway’s word that webhooks are authentic, as `process` does'))
    .addOption(new Option('--yes', 'send them'))
    .addOption(json)
    .addHelpText('after', REDRIVE_HELP)
    .addHelpText(
      'after',
      exitCodesHelp({
        [EXIT.ok]: 'every letter that was meant was sent, or would be',
        ...SERVER_CODES,
        [EXIT.deadLetters]: 'some would come back, or cannot be sent',
      }),
    )
    .action(async (ids: string[], options: RedriveCommandOptions) => {
      const { redriveDeadLetters } = await import('./roles/run-dead-letter.ts');
      finish(await redriveDeadLetters(ids, options));
    });
};
