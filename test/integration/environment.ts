import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `npm test` names the servers in the environment. Where a single file is run by hand, they are those of the stack.
 */
const ENV_FILE = fileURLToPath(new URL('../../.stack/env', import.meta.url));

function fromStack(): Record<string, string> {
  try {
    const lines = readFileSync(ENV_FILE, 'utf8').matchAll(/^(?:export )?([A-Z_]+)=(.*)$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  } catch {
    return {};
  }
}

const stack = fromStack();
for (const name of ['COUNTERSIGN_BROKERS', 'COUNTERSIGN_REDIS_URL', 'COUNTERSIGN_REGISTRY_URL']) {
  const value = process.env[name] ?? stack[name];
  if (value === undefined) throw new Error(`${name} is not set and the stack is down: npm run stack -- up`);
  process.env[name] = value;
}
