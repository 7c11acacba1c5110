import { CommandFailed } from '../setup/command.mjs';
import { composeUp, isComposeUsable } from './compose.mjs';
import { SERVER_VARIABLES } from './environment.mjs';
import { missingForStack, up } from './stack.mjs';

/**
 * The servers that tests run against: those that the environment names; what it does not name comes from the stack, which is
 * started; where the stack cannot be had, from Docker Compose. Tests are never skipped for want of a server.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ environment: Record<string, string | undefined>, from: string }>} `from`: a sentence for the person who waits
 */
export async function serversForTests(env) {
  const named = SERVER_VARIABLES.filter((name) => env[name]);
  const kept = Object.fromEntries(named.map((name) => [name, env[name]]));
  const also = named.length > 0 ? `${named.join(', ')} from the environment; the rest from ` : '';
  if (named.length === SERVER_VARIABLES.length) return { environment: kept, from: 'those that the environment names' };

  const missing = missingForStack();
  if (missing.length === 0) {
    const { environment, started } = await up();
    const how = started.length > 0 ? `started ${started.join(', ')}` : 'it was up';
    return {
      environment: { ...environment, ...kept },
      from: `${also}the stack in .stack (${how}; npm run stack -- down ends it)`,
    };
  }
  if (isComposeUsable()) {
    const environment = await composeUp();
    return { environment: { ...environment, ...kept }, from: `${also}Docker Compose (docker compose down ends it)` };
  }
  throw new CommandFailed(
    [
      'These tests need Kafka, Redis and a schema registry, and none can be had here. One of these will do:',
      `  - name your own: ${SERVER_VARIABLES.join(', ')}`,
      `  - let the stack start them; it lacks ${missing.join('; ')}`,
      '  - install Docker with its compose plugin, and start it',
      'npm run test:pure runs what needs no server.',
    ].join('\n'),
    1,
  );
}
