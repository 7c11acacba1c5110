import { spawnSync } from 'node:child_process';
import { run } from '../setup/command.mjs';
import { ROOT } from '../setup/paths.mjs';
import { answers } from './ports.mjs';
import { find } from './tools.mjs';
import { until } from './wait.mjs';

/** Host ports that docker-compose.yml publishes. */
export const PORTS = { kafka: 19094, redis: 16379, registry: 18081 };

/** Whether `docker compose` could start something here: the program, its plugin and a daemon that answers. */
export function isComposeUsable() {
  if (find('docker') === null) return false;
  const works = (/** @type {string[]} */ ...args) =>
    spawnSync('docker', args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
  return works('compose', 'version') && works('info');
}

/** Starts the servers (not Countersign's roles) with Docker Compose. @returns {Promise<Record<string, string>>} how to reach them */
export async function composeUp() {
  await run('docker', ['compose', 'up', '--detach', '--wait', 'kafka', 'redis', 'registry'], {
    cwd: ROOT,
    quiet: true,
  });
  for (const [name, port] of Object.entries(PORTS)) {
    await until(`${name} in Docker`, () => answers(port), { timeoutMs: 60_000 });
  }
  return {
    COUNTERSIGN_BROKERS: `127.0.0.1:${PORTS.kafka}`,
    COUNTERSIGN_REDIS_URL: `redis://127.0.0.1:${PORTS.redis}`,
    COUNTERSIGN_REGISTRY_URL: `http://127.0.0.1:${PORTS.registry}/apis/ccompat/v7`,
    COUNTERSIGN_REPLICATION: '1',
  };
}
