import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { parseInstantOption } from './instant-option.ts';
import type { KeysOptions, RevokeOptions, RotateOptions } from './keys/run-keys.ts';

const HELP = `
The key file holds private keys: it is made with mode 0600, and nothing of it is printed or logged. Beside it stands the public
key set (keys.json → keys.public.json), a JWKS, for whoever checks receipts. Keys are never removed: old receipts are checked with them.

Examples:
  $ countersign keys generate keys.json
  $ countersign keys rotate keys.json --at 2026-12-01T00:00:00Z
  $ countersign keys revoke keys.json 8R3bS… --from 2026-11-30T21:00:00Z
`;

const CODES = {
  [EXIT.ok]: 'it is done',
  [EXIT.failed]: 'a file cannot be written',
  [EXIT.usage]: 'the command line is wrong, or the key file is not what it should be',
};

const publicOption = (): Option =>
  new Option('--public <file>', 'where the public key set goes (default: beside the key file, .public.json)');
const jsonOption = (): Option => new Option('--json', 'JSON instead of sentences: the public key set');

/** `countersign keys generate|list|rotate|revoke` */
export const registerKeys = (program: Command, finish: (code: ExitCode) => void): void => {
  const group = program
    .command('keys')
    .description('the keys that receipts are sealed with: make, list, change, revoke');
  group.addHelpText('after', HELP);
  group
    .command('generate')
    .description('make a key file with one key, good from ever on')
    .argument('<file>', 'the key file; must not be there yet')
    .addOption(publicOption())
    .addOption(jsonOption())
    .addHelpText('after', exitCodesHelp(CODES))
    .action(async (file: string, options: KeysOptions) => {
      const { generateKeys } = await import('./keys/run-keys.ts');
      finish(await generateKeys(file, options));
    });
  group
    .command('list')
    .description('the keys of a key file, and when each seals')
    .argument('<file>', 'a private or a public key set')
    .addOption(jsonOption())
    .addHelpText('after', exitCodesHelp(CODES))
    .action(async (file: string, options: KeysOptions) => {
      const { listKeys } = await import('./keys/run-keys.ts');
      finish(await listKeys(file, options));
    });
  group
    .command('rotate')
    .description('seal with a fresh key from an instant on; running processes read the file again by themselves')
    .argument('<file>', 'the key file')
    .addOption(
      new Option(
        '--at <instant>',
        'from when on (default: in one minute); leave the time that the file takes to reach every process',
      ).argParser(parseInstantOption),
    )
    .addOption(publicOption())
    .addOption(jsonOption())
    .addHelpText('after', exitCodesHelp(CODES))
    .action(async (file: string, options: RotateOptions) => {
      const { rotateKeyFile } = await import('./keys/run-keys.ts');
      finish(await rotateKeyFile(file, options));
    });
  group
    .command('revoke')
    .description('a key was lost: what is decided from an instant on, it proves nothing of')
    .argument('<file>', 'the key file')
    .argument('<kid>', 'the id of the key, as `list` tells it')
    .addOption(new Option('--from <instant>', 'since when (default: now)').argParser(parseInstantOption))
    .addOption(publicOption())
    .addOption(jsonOption())
    .addHelpText('after', exitCodesHelp(CODES))
    .action(async (file: string, kid: string, options: RevokeOptions) => {
      const { revokeInFile } = await import('./keys/run-keys.ts');
      finish(await revokeInFile(file, kid, options));
    });
};
