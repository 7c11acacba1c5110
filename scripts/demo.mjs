// `npm run demo`: from a fresh clone to a day of refunds, judged.
import { join } from 'node:path';
import { run, script } from './setup/command.mjs';
import { setUp } from './setup/index.mjs';
import { ROOT } from './setup/paths.mjs';

await script(async () => {
  await setUp();
  await run(process.execPath, [join(ROOT, 'bin', 'countersign'), 'demo', ...process.argv.slice(2)]);
});
