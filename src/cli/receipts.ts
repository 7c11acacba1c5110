import { type Command, InvalidArgumentError, Option } from 'commander';
import type { NamedHead } from '../receipts/index.ts';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { parseInstantOption } from './instant-option.ts';
import type { AuditOptions } from './receipts/audit.ts';
import type { ExportOptions } from './receipts/export.ts';
import type { VerifyCommandOptions } from './receipts/verify.ts';
import { configOption } from './role-options.ts';

const VERIFY_HELP = `
Works offline, from the files and the public keys alone. A line may be a verdict record, an exported receipt (compact JWS), or either
in a log line {"topic": …, "value": …}; several files are read as one. What is wrong is told line by line, with a code each
(docs/reference/receipts.md). What is missing after an operation's last revision cannot be told from receipts: see \`receipts audit\`.

Examples:
  $ countersign receipts verify verdicts.jsonl --keys keys.public.json
  $ countersign receipts export --operation op-1 | countersign receipts verify - --keys keys.public.json
`;

const AUDIT_HELP = `
The receipts of a shard form one chain, in the order of the log: a receipt that was removed, put in, moved, doubled or forked
shows. The audit ends with the head of each chain. Keep it: with --head the next audit finds what was removed from the end.

Examples:
  $ countersign receipts audit receipts.jws --keys keys.public.json
  $ countersign receipts audit --config countersign.yaml --keys keys.public.json --head receipts/0:1204:5mJ…
`;

const EXPORT_HELP = `
Writes receipts as compact JWS with their payload, one a line: any JOSE library checks them. They come from the files given, from
a data folder of \`countersign serve\`, or else from the topic \`receipts\`.

Examples:
  $ countersign receipts export --since 2026-11-01T00:00:00Z > november.jws
  $ countersign receipts export verdicts.jsonl --operation op-1
`;

const codes = (holds: string): string =>
  exitCodesHelp({
    [EXIT.ok]: holds,
    [EXIT.failed]: 'a server does not answer, or the output cannot be written',
    [EXIT.usage]: 'the command line, the configuration, a file or the key set is not right',
    [EXIT.notProven]: 'something is wrong with the receipts',
  });

const HEAD = /^(.+)\/(\d+):(\d+):([A-Za-z0-9_-]{43}|-)$/;

const head = (text: string, before: readonly NamedHead[] = []): readonly NamedHead[] => {
  const [, log, shard, sequence, hash] = HEAD.exec(text) ?? [];
  if (log === undefined)
    throw new InvalidArgumentError(
      `It was "${text}", it should be <log>/<shard>:<sequence>:<hash>, as an audit prints it.`,
    );
  const named = { log, shard: Number(shard), sequence: Number(sequence), hash: hash === '-' ? null : (hash ?? null) };
  return [...before, named];
};

const keysOption = (): Option =>
  new Option('--keys <file>', 'the public key set (JWKS) that the receipts are held against').makeOptionMandatory();
const dataOption = (): Option => new Option('--data <dir>', 'the data folder of `countersign serve`, running or not');
const jsonOption = (): Option => new Option('--json', 'one JSON object instead of sentences');

/** `countersign receipts verify|audit|export` */
export const registerReceipts = (program: Command, finish: (code: ExitCode) => void): void => {
  const group = program.command('receipts').description('sealed verdicts: verify them, audit their chain, export them');
  group
    .command('verify')
    .description('check signatures, keys, contents and the chain of each operation')
    .argument('<file...>', 'files of verdict records or receipts, gzipped or not; - is standard input')
    .addOption(keysOption())
    .addOption(new Option('--partial', 'earlier revisions may be missing: the files are a part'))
    .addOption(new Option('--allow-unsealed', 'terminal verdicts may have no receipt: from before there were keys'))
    .addOption(jsonOption())
    .addHelpText('after', VERIFY_HELP + codes('all of it holds'))
    .action(async (files: readonly string[], options: VerifyCommandOptions) => {
      const { verifyCommand } = await import('./receipts/verify.ts');
      finish(await verifyCommand(files, options));
    });
  group
    .command('audit')
    .description('check the chain of each shard: nothing removed, put in, moved, doubled or forked')
    .argument('[file...]', 'files of receipts in the order of the log; without: the topic `receipts`')
    .addOption(keysOption())
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(
      new Option('--head <head>', 'the head of a chain that an earlier audit told; may be repeated').argParser(head),
    )
    .addOption(new Option('--partial', 'the log may begin in the middle'))
    .addOption(jsonOption())
    .addHelpText('after', AUDIT_HELP + codes('the chains are whole'))
    .action(async (files: readonly string[], options: AuditOptions) => {
      const { auditCommand } = await import('./receipts/audit.ts');
      finish(await auditCommand(files, options));
    });
  group
    .command('export')
    .description('write receipts as JWS that any JOSE library checks')
    .argument('[file...]', 'files of verdict records or receipts; without: the topic `receipts`')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(new Option('--operation <id>', 'only this operation, by its id or by <payment key>/<operation id>'))
    .addOption(new Option('--since <instant>', 'only what was decided since').argParser(parseInstantOption))
    .addHelpText('after', EXPORT_HELP + codes('they are written'))
    .action(async (files: readonly string[], options: ExportOptions) => {
      const { exportCommand } = await import('./receipts/export.ts');
      finish(await exportCommand(files, options));
    });
};
