import { join } from 'node:path';
import { freePorts } from './ports.mjs';
import { startRedis } from './redis.mjs';
import { redisCommand } from './redis-protocol.mjs';
import { until } from './wait.mjs';

const SLOTS = 16_384;

/**
 * Starts three masters on the loopback that share the slots, and waits until each of them finds the cluster whole.
 *
 * @param {{ folder: string, masters?: number }} cluster
 * @returns {Promise<{ ports: number[], servers: import('./processes.mjs').ServerProcess[] }>}
 */
export async function startRedisCluster({ folder, masters = 3 }) {
  const all = await freePorts(masters * 2);
  const ports = all.slice(0, masters);
  const buses = all.slice(masters);
  const servers = await Promise.all(
    ports.map((port, index) =>
      startRedis({
        folder: join(folder, `node-${index}`),
        port,
        options: ['--cluster-enabled', 'yes', '--cluster-port', String(buses[index]), '--cluster-node-timeout', '2000'],
      }),
    ),
  );
  const first = ports[0] ?? 0;
  for (const [index, port] of ports.entries()) {
    const from = Math.floor((index * SLOTS) / masters);
    const to = Math.floor(((index + 1) * SLOTS) / masters) - 1;
    await redisCommand(port, ['CLUSTER', 'ADDSLOTSRANGE', from, to]);
    // Distinct epochs from the start: the nodes need not vote about it.
    await redisCommand(port, ['CLUSTER', 'SET-CONFIG-EPOCH', index + 1]);
    if (index > 0) await redisCommand(first, ['CLUSTER', 'MEET', '127.0.0.1', port, buses[index] ?? 0]);
  }
  for (const port of ports) {
    await until(
      `the Redis node on port ${port} to see its cluster`,
      async () => {
        const info = await redisCommand(port, ['CLUSTER', 'INFO']);
        return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${masters}`);
      },
      { timeoutMs: 30_000 },
    );
  }
  return { ports, servers };
}
