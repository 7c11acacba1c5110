import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STACK } from './paths.mjs';
import { registryUrl } from './registry.mjs';

/** The variables that name the servers, in the order people read them. */
export const SERVER_VARIABLES = ['COUNTERSIGN_BROKERS', 'COUNTERSIGN_REDIS_URL', 'COUNTERSIGN_REGISTRY_URL'];

/** The environment that leads Countersign to the stack. @param {Record<string, number>} ports @returns {Record<string, string>} */
export function stackEnvironment(ports) {
  return {
    COUNTERSIGN_BROKERS: `127.0.0.1:${ports['kafka']}`,
    COUNTERSIGN_REDIS_URL: `redis://127.0.0.1:${ports['redis']}`,
    COUNTERSIGN_REGISTRY_URL: registryUrl(ports['registry'] ?? 0),
    COUNTERSIGN_REPLICATION: '1',
  };
}

/** Leaves it in .stack/env, so that `. .stack/env` is enough. @param {Record<string, string>} environment */
export function writeEnvironment(environment) {
  writeFileSync(
    join(STACK, 'env'),
    Object.entries(environment)
      .map(([name, value]) => `export ${name}=${value}\n`)
      .join(''),
  );
}
