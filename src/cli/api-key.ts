import { type Command, InvalidArgumentError, Option } from 'commander';
import { API_SCOPES } from '../config/gateway.ts';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';

interface ApiKeyOptions {
  readonly scope?: readonly string[];
  readonly account?: readonly string[];
  readonly json?: boolean;
}

const HELP = `
Makes a key for the operations API. The key is printed once and kept nowhere; what goes into the configuration is its hash.

Example:
  $ countersign api-key payments --scope operations:write --account paypal:merchant-1
`;

const keyId = (text: string): string => {
  if (!/^[A-Za-z0-9.-]{1,64}$/.test(text))
    throw new InvalidArgumentError(`It was "${text}", it should be letters, digits, "." and "-", at most 64.`);
  return text;
};

const accountName = (text: string, before: readonly string[] | undefined): string[] => {
  if (!/^(paypal|square|shopify|stripe):[A-Za-z0-9._-]{1,128}$/.test(text))
    throw new InvalidArgumentError(`It was "${text}", it should be provider:account, such as paypal:merchant-1.`);
  return [...(before ?? []), text];
};

export const registerApiKey = (program: Command, finish: (code: ExitCode) => void): void => {
  program
    .command('api-key')
    .description('make an API key for the operations API, and its hash for the configuration')
    .argument('<id>', 'whose key it is; stands in logs', keyId)
    .addOption(
      new Option(
        '--scope <scope...>',
        'what it may do, separated by spaces or given again (default: write and read operations)',
      ).choices(API_SCOPES),
    )
    .addOption(
      new Option('--account <account...>', 'the accounts it may speak of (default: all)').argParser(accountName),
    )
    .addOption(new Option('--json', 'print one JSON object'))
    .addHelpText('after', HELP + exitCodesHelp({ [EXIT.ok]: 'the key is printed' }))
    .action(async (id: string, options: ApiKeyOptions) => {
      const { createApiKey } = await import('../producers/gateway/api-key.ts');
      const { key, hash } = createApiKey(id);
      const scopes = options.scope ?? ['operations:write', 'operations:read'];
      const entry = { id, hash, scopes, ...(options.account === undefined ? {} : { accounts: options.account }) };
      process.stdout.write(
        options.json === true
          ? `${JSON.stringify({ key, entry })}\n`
          : `The key, for the client (it is not shown again):\n  ${key}\n\nIts entry, for the configuration:\n  gateway:\n    api_keys:\n      - ${JSON.stringify(entry)}\n`,
      );
      finish(EXIT.ok);
    });
};
