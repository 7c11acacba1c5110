// `npm run simulate [-- OPTION …]`: the simulator, after any set-up that is missing. test/simulation/main.ts lists the options.
import { join } from 'node:path';
import { run, script } from './setup/command.mjs';
import { setUp } from './setup/index.mjs';
import { ROOT } from './setup/paths.mjs';

await script(async () => {
  await setUp();
  const main = join(ROOT, 'test', 'simulation', 'main.ts');
  await run(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)]);
});
