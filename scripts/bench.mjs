// `npm run bench [-- NAME …]`: runs bench/<name>.ts on the built project, after any set-up that is missing.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed, run, script } from './setup/command.mjs';
import { setUp } from './setup/index.mjs';
import { ROOT } from './setup/paths.mjs';

await script(async () => {
  const [usual, ...given] = process.argv.slice(2);
  // `npm run bench -- store …`: a name of its own goes before the usual one.
  const isNamed = given[0] !== undefined && !given[0].startsWith('-');
  const [name, args] = isNamed ? [given[0], given.slice(1)] : [usual, given];
  const file = join(ROOT, 'bench', `${name}.ts`);
  if (!name || !existsSync(file)) {
    const names = readdirSync(join(ROOT, 'bench')).filter((entry) => entry.endsWith('.ts'));
    throw new CommandFailed(`There is no benchmark "${name ?? ''}". There are: ${names.join(', ') || 'none'}`, 2);
  }
  await setUp();
  await run(process.execPath, ['--import', 'tsx', '--expose-gc', file, ...args]);
});
