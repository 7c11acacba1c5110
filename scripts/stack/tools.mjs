import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CommandFailed, run } from '../setup/command.mjs';

/** Where a program is, or null. @param {string} name @returns {string | null} */
export function find(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this one.
    }
  }
  return null;
}

/** The major version in the first line of `java -version`: "17.0.15" is 17, "1.8.0_402" is 8. @param {string} output */
export function javaMajor(output) {
  const found = /version "(?:1\.)?(\d+)/.exec(output);
  return found ? Number(found[1]) : null;
}

/** What `java` is and whether it will do. @returns {{ java: string } | { missing: string }} */
export function findJava() {
  const home = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : null;
  const java = home && existsSync(home) ? home : find('java');
  if (java === null) return { missing: 'a JDK, 17 or newer (Debian: apt-get install openjdk-17-jdk-headless)' };
  const { stderr, stdout } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  const major = javaMajor(`${stderr}${stdout}`);
  return major !== null && major >= 17
    ? { java }
    : { missing: `a JDK, 17 or newer (${java} is ${major ?? 'of unknown version'})` };
}

/** @returns {{ mvn: string } | { missing: string }} */
export function findMaven() {
  const mvn = find('mvn');
  return mvn ? { mvn } : { missing: 'Maven (Debian: apt-get install maven)' };
}

const REDIS_MISSING = 'Redis 7 or newer (Debian: apt-get install redis-server; macOS: brew install redis)';

/** Whether redis-server is there or could be put there. @returns {{ redis: string | null } | { missing: string }} */
export function findRedis() {
  const redis = find('redis-server');
  if (redis) return { redis };
  return process.getuid?.() === 0 && find('apt-get') ? { redis: null } : { missing: REDIS_MISSING };
}

/** redis-server; installed by apt-get where that is there and we are root. @returns {Promise<string>} */
export async function redisServer() {
  const found = findRedis();
  if ('missing' in found) throw new CommandFailed(`This needs ${found.missing}.`, 1);
  if (found.redis) return found.redis;
  process.stderr.write('Installing redis-server with apt-get …\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    run('apt-get', ['install', '-y', '--no-install-recommends', 'redis-server'], { env, quiet: true });
  try {
    await install();
  } catch {
    // A fresh image has no package lists yet.
    await run('apt-get', ['update'], { env, quiet: true });
    await install();
  }
  const redis = find('redis-server');
  if (!redis) throw new CommandFailed(`apt-get installed no redis-server. This needs ${REDIS_MISSING}.`, 1);
  return redis;
}

/** @returns {string} */
export function requireJava() {
  const found = findJava();
  if ('missing' in found) throw new CommandFailed(`This needs ${found.missing}.`, 1);
  return found.java;
}
