import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { ROOT } from './paths.mjs';

/** @param {string} file @returns {{ packages?: Record<string, { version?: string, optional?: boolean, link?: boolean }> } | null} */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Whether node_modules holds what package-lock.json asks for. npm leaves its own record of what it installed, written last,
 * so an install that was broken off does not pass. Optional packages (other platforms' binaries) may be missing.
 *
 * @param {string} [root]
 */
export function isInstalled(root = ROOT) {
  const wanted = readLock(join(root, 'package-lock.json'))?.packages;
  const found = readLock(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!wanted || !found) return false;
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || entry.link || found[path]?.version === entry.version,
  );
}

/** Installs the locked packages if they are not there. Silent when there is nothing to do. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  process.stderr.write('Installing the packages that package-lock.json names …\n');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const hint = 'The first run needs the npm registry; later ones need no network.';
  const env = { ...process.env, NODE_ENV: 'development' };
  if (npm?.endsWith('.js')) await run(process.execPath, [npm, ...args], { env, quiet: true, hint });
  else await run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { env, quiet: true, hint });
}
