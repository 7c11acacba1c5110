// The static checks: `node scripts/check.mjs [--fix] [format|lint|types|imports|unused …]`; without a name, all of them.
import { join } from 'node:path';
import { CommandFailed, run, script } from './setup/command.mjs';
import { setUp } from './setup/index.mjs';
import { ROOT } from './setup/paths.mjs';

const bin = (/** @type {string[]} */ ...path) => join(ROOT, 'node_modules', ...path);

/** @type {Record<string, (fix: boolean) => string[]>} */
const CHECKS = {
  format: (fix) => [
    bin('@biomejs', 'biome', 'bin', 'biome'),
    'check',
    '--error-on-warnings',
    ...(fix ? ['--write'] : []),
  ],
  types: () => [bin('typescript', 'bin', 'tsc'), '--noEmit', '-p', '.'],
  lint: () => [
    bin('eslint', 'bin', 'eslint.js'),
    '--max-warnings=0',
    '--no-error-on-unmatched-pattern',
    'src',
    'test',
    'bench',
  ],
  imports: () => [
    bin('dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.mjs',
    'src',
  ],
  unused: () => [bin('knip', 'bin', 'knip.js')],
};

await script(async () => {
  const args = process.argv.slice(2);
  const named = args.filter((arg) => !arg.startsWith('--'));
  const unknown = named.find((name) => !CHECKS[name]);
  if (unknown)
    throw new CommandFailed(`There is no check "${unknown}". There are: ${Object.keys(CHECKS).join(', ')}`, 2);
  await setUp({ built: false });
  const failed = [];
  for (const [name, command] of Object.entries(CHECKS)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const started = Date.now();
    try {
      await run(process.execPath, command(args.includes('--fix')), { quiet: true });
      process.stdout.write(`${name.padEnd(8)} ok (${((Date.now() - started) / 1000).toFixed(1)} s)\n`);
    } catch (error) {
      failed.push(name);
      process.stdout.write(`${name.padEnd(8)} FAILED\n${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  if (failed.length > 0) throw new CommandFailed(`Failed: ${failed.join(', ')}`, 1);
});
