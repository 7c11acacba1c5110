import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { configOption } from './role-options.ts';
import type { TopicsOptions } from './roles/run-topics.ts';

const CODES = {
  [EXIT.ok]: 'all is as it should be',
  [EXIT.failed]: 'something is not as it should be, or a server does not answer',
  [EXIT.usage]: 'the configuration is not right',
};

export const registerTopics = (program: Command, finish: (code: ExitCode) => void): void => {
  const topics = program.command('topics').description('create and check the Kafka topics and their schemas');
  const config = configOption();
  const json = new Option('--json', 'one JSON object instead of sentences');
  topics
    .command('create')
    .description('create the topics that are missing and register the schemas; what exists is left as it is')
    .addOption(config)
    .addOption(json)
    .addHelpText('after', exitCodesHelp(CODES))
    .action(async (options: TopicsOptions) => {
      const { createTopicsCommand } = await import('./roles/run-topics.ts');
      finish(await createTopicsCommand(options));
    });
  topics
    .command('check')
    .description('name every difference between the topics and schemas and what they should be')
    .addOption(config)
    .addOption(json)
    .addHelpText('after', exitCodesHelp(CODES))
    .action(async (options: TopicsOptions) => {
      const { checkTopicsCommand } = await import('./roles/run-topics.ts');
      finish(await checkTopicsCommand(options));
    });
};
