// `node scripts/test.mjs <project …> [-- vitest's own arguments]`: sets up, finds or starts the servers, runs the tests.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed, run, script } from './setup/command.mjs';
import { setUp } from './setup/index.mjs';
import { ROOT } from './setup/paths.mjs';
import { serversForTests } from './stack/servers-for-tests.mjs';

const PROJECTS = ['pure', 'integration', 'long', 'vectors'];
const NEED_SERVERS = ['integration', 'long'];

await script(async () => {
  const projects = process.argv.slice(2).filter((arg) => PROJECTS.includes(arg));
  const rest = process.argv.slice(2).filter((arg) => !PROJECTS.includes(arg) && arg !== '--');
  if (projects.length === 0) throw new CommandFailed(`Name what to run: ${PROJECTS.join(', ')}`, 2);
  if (projects.includes('vectors')) {
    const folder = process.env.COUNTERSIGN_VECTORS;
    if (!folder || !existsSync(folder)) {
      const got = folder ? `${folder} does not exist` : 'it is not set';
      throw new CommandFailed(
        `COUNTERSIGN_VECTORS should name the folder of the published signature vectors; ${got}.`,
        2,
      );
    }
  }

  await setUp();
  let env = process.env;
  if (projects.some((project) => NEED_SERVERS.includes(project))) {
    const { environment, from } = await serversForTests(env);
    process.stderr.write(`Servers: ${from}.\n`);
    env = { ...env, ...environment };
  }
  const chosen = projects.flatMap((project) => ['--project', project]);
  await run(process.execPath, [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...chosen, ...rest], { env });
});
