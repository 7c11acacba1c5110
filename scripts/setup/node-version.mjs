import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from './command.mjs';
import { ROOT } from './paths.mjs';

/**
 * Stops with a plain sentence on a Node that is too old, before anything else fails with a puzzling one.
 *
 * @param {string} [version] like `20.19.0`
 */
export function checkNodeVersion(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const wanted = /(\d+)\.(\d+)/.exec(engines.node);
  const found = /^(\d+)\.(\d+)/.exec(version);
  if (!wanted || !found) return;
  const [wantedMajor, wantedMinor] = [Number(wanted[1]), Number(wanted[2])];
  const [major, minor] = [Number(found[1]), Number(found[2])];
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    throw new CommandFailed(`Countersign needs Node ${engines.node}; this is ${version}. See https://nodejs.org/`, 1);
  }
}
