import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, startServer, stopServer, tail } from './processes.mjs';
import { redisCommand } from './redis-protocol.mjs';
import { redisServer } from './tools.mjs';
import { until } from './wait.mjs';

/**
 * Starts a Redis that never evicts, and waits until it serves.
 *
 * @param {{ folder: string, port: number, durable?: boolean, outlives?: boolean, options?: readonly string[] }} redis
 *   `durable`: writes its append-only file, read at the next start; `options`: further arguments of redis-server
 * @returns {Promise<import('./processes.mjs').ServerProcess>}
 */
export async function startRedis({ folder, port, durable = false, outlives = false, options = [] }) {
  const command = await redisServer();
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'redis.log');
  const args = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    durable ? 'yes' : 'no',
  ];
  const server = await startServer(command, [...args.map(String), '--maxmemory-policy', 'noeviction', ...options], {
    logFile,
    outlives,
  });
  try {
    await until('Redis to start', async () => (await redisCommand(port, ['PING'])) === 'PONG', {
      timeoutMs: 30_000,
      everyMs: 10,
      gone: () => (isRunning(server) ? null : `it ended. ${tail(logFile)}`),
    });
  } catch (error) {
    await stopServer(server, { graceMs: 0 });
    throw error;
  }
  return server;
}
