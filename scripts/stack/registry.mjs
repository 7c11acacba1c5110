import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileBelow, registryJars } from './downloads.mjs';
import { isRunning, startServer, stopServer, tail } from './processes.mjs';
import { requireJava } from './tools.mjs';
import { until } from './wait.mjs';

/** Where the registry speaks Confluent's protocol. @param {number} port */
export const registryUrl = (port) => `http://127.0.0.1:${port}/apis/ccompat/v7`;

/**
 * Starts Apicurio Registry with its schemas in memory, waits until it serves, and sets the global compatibility to BACKWARD: its
 * own default is none.
 *
 * @param {{ folder: string, port: number, outlives?: boolean }} registry
 * @returns {Promise<import('./processes.mjs').ServerProcess>}
 */
export async function startRegistry({ folder, port, outlives = false }) {
  const java = requireJava();
  const jar = fileBelow(await registryJars(), /-runner\.jar$/);
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'registry.log');
  writeFileSync(logFile, '');
  const listen = ['-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`];
  const jvm = ['-Xmx320m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const server = await startServer(java, [...jvm, ...listen, '-jar', jar], { logFile, cwd: dirname(jar), outlives });
  try {
    await until(
      'the schema registry to start',
      async () => (await fetch(`${registryUrl(port)}/subjects`)).status === 200,
      {
        timeoutMs: 90_000,
        gone: () => (isRunning(server) ? null : `it ended. ${tail(logFile)}`),
      },
    );
    const answer = await fetch(`${registryUrl(port)}/config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ compatibility: 'BACKWARD' }),
    });
    if (!answer.ok) throw new Error(`the schema registry refused BACKWARD compatibility: ${answer.status}`);
  } catch (error) {
    await stopServer(server, { graceMs: 0 });
    throw error;
  }
  return server;
}
