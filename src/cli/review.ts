import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { configOption } from './role-options.ts';
import type { ResolveOptions, ReviewOptions } from './roles/run-review.ts';

const withPlace = (command: Command): Command =>
  command
    .addOption(configOption())
    .addOption(
      new Option('--data <dir>', 'the data folder of `countersign serve`, running or not, instead of Kafka').conflicts(
        'url',
      ),
    )
    .addOption(new Option('--url <url>', 'a running `countersign serve` instead of Kafka'))
    .addOption(new Option('--trust-gateway', 'with --data: as `serve` was told'))
    .addOption(new Option('--json', 'JSON, one object a line'));

const HELP = `
A decision answers one verdict and goes through the topic review-decided, as any other record. It stands while the verdict computed
without it is open, is the one it answered, or agrees; other evidence reopens the question.

Example:
  $ countersign review resolve paypal:merchant-1:3C679366HH908993R/op-1:2 --decision VERIFIED \\
      --reviewer maria --reason "the statement of 3 December shows the refund"
`;

/** `countersign review list|resolve` */
export const registerReview = (program: Command, finish: (code: ExitCode) => void): void => {
  const group = program.command('review').description('what waits for a person: list it, decide it');

  withPlace(
    group.command('list').description('list what was escalated, oldest first, with what is known and what is missing'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ countersign review list --config countersign.yaml\n  $ countersign review list --data /var/lib/countersign\n',
    )
    .addHelpText(
      'after',
      exitCodesHelp({
        [EXIT.ok]: 'they are listed',
        [EXIT.failed]: 'a server does not answer',
        [EXIT.usage]: 'the command line or the configuration is not right',
      }),
    )
    .action(async (options: ReviewOptions) => {
      const { listReviews } = await import('./roles/run-review.ts');
      finish(await listReviews(options));
    });

  withPlace(group.command('resolve').description('decide on a verdict'))
    .argument('<verdict>', 'the verdict id that the decision answers, as `list` names it')
    .addOption(
      new Option('--decision <verdict>', 'what is decided')
        .choices(['VERIFIED', 'CONTRADICTED', 'FAILED'])
        .makeOptionMandatory(),
    )
    .requiredOption('--reviewer <name>', 'who decides')
    .requiredOption('--reason <text>', 'why')
    .addOption(new Option('--force', 'answer a verdict that is no longer the latest'))
    .addHelpText('after', HELP)
    .addHelpText(
      'after',
      exitCodesHelp({
        [EXIT.ok]: 'the decision is published',
        [EXIT.failed]: 'a server does not answer, or the decision was refused',
        [EXIT.usage]: 'the command line is not right, or the verdict is no longer the latest',
      }),
    )
    .action(async (verdictId: string, options: ResolveOptions) => {
      const { resolveReview } = await import('./roles/run-review.ts');
      finish(await resolveReview(verdictId, options));
    });
};
