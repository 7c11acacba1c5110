import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandFailed, run } from '../setup/command.mjs';
import { STACK, VERSIONS } from './paths.mjs';
import { findMaven } from './tools.mjs';

const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

/** @param {readonly string[]} args */
async function maven(args) {
  const found = findMaven();
  if ('missing' in found) throw new CommandFailed(`This needs ${found.missing}.`, 1);
  const hint = 'The first time this needs the network (Maven Central, or what settings.xml names); later ones do not.';
  await run(found.mvn, ['-B', '-q', '-ntp', ...args], { quiet: true, hint });
}

/**
 * A folder that is there whole or not at all: filled under another name, then renamed.
 *
 * @param {string} name
 * @param {string} announce
 * @param {(folder: string) => Promise<void>} fill
 * @returns {Promise<string>} its path
 */
async function folderOnce(name, announce, fill) {
  const folder = join(STACK, 'downloads', name);
  if (existsSync(folder)) return folder;
  process.stderr.write(`${announce}\n`);
  const partial = `${folder}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  try {
    await fill(partial);
    if (!existsSync(folder)) renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

/** The folder of a broker's jars. */
export function kafkaJars() {
  return folderOnce(`kafka-${VERSIONS.kafka}`, `Fetching Kafka ${VERSIONS.kafka} (43 MB) with Maven …`, (folder) =>
    maven([
      '-f',
      fileURLToPath(new URL('kafka-pom.xml', import.meta.url)),
      `${PLUGIN}:copy-dependencies`,
      '-DincludeScope=runtime',
      `-DoutputDirectory=${folder}`,
    ]),
  );
}

/** The folder of the registry's runner jar and its libraries. */
export function registryJars() {
  const name = `apicurio-registry-app-${VERSIONS.registry}`;
  return folderOnce(name, `Fetching Apicurio Registry ${VERSIONS.registry} (142 MB) with Maven …`, async (folder) => {
    const artifact = `io.apicurio:apicurio-registry-app:${VERSIONS.registry}:tar.gz:all`;
    await maven([`${PLUGIN}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
    const archive = readdirSync(folder).find((file) => file.endsWith('.tar.gz'));
    if (!archive) throw new CommandFailed(`Maven left no ${artifact}.`, 1);
    await run('tar', ['-xzf', archive], { cwd: folder, quiet: true });
    rmSync(join(folder, archive));
  });
}

/** @param {string} folder @param {RegExp} name @returns {string} the one file below `folder` with that name */
export function fileBelow(folder, name) {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((file) => name.test(file));
  if (!found)
    throw new CommandFailed(`There is no ${name.source} below ${folder}; delete the folder and try again.`, 1);
  return join(folder, found);
}
