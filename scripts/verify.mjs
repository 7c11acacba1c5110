// `npm run verify`: all that needs no server: the static checks, then the pure tests with their coverage.
import { join } from 'node:path';
import { run, script } from './setup/command.mjs';
import { ROOT } from './setup/paths.mjs';

await script(async () => {
  await run(process.execPath, [join(ROOT, 'scripts', 'check.mjs')]);
  await run(process.execPath, [join(ROOT, 'scripts', 'test.mjs'), 'pure', '--coverage']);
});
