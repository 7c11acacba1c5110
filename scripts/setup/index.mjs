import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { checkNodeVersion } from './node-version.mjs';

/** Everything a fresh clone lacks: packages and a build. Skipped, silently, where it is there. */
export async function setUp({ built = true } = {}) {
  checkNodeVersion();
  await ensureInstalled();
  if (built) await ensureBuilt();
}
