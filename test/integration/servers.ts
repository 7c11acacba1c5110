import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka } from '../../scripts/stack/kafka.mjs';
import { freePorts } from '../../scripts/stack/ports.mjs';
import { isRunning, type ServerProcess, signal, stopServer } from '../../scripts/stack/processes.mjs';
import { startRedis } from '../../scripts/stack/redis.mjs';
import { startRedisCluster } from '../../scripts/stack/redis-cluster.mjs';
import { registryUrl, startRegistry } from '../../scripts/stack/registry.mjs';

/** A server that a test has for itself. What it kept is deleted by `dispose`; until then a restart finds it again. */
export interface OwnServer {
  /** `host:port` of a broker, a URL of Redis or the registry; the same after a restart */
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  /** SIGTERM, and waits until it has ended */
  stop(): Promise<void>;
  /** SIGKILL, and waits until it is gone */
  kill(): Promise<void>;
  /** SIGSTOP: alive, and answers nothing */
  freeze(): void;
  thaw(): void;
  /** after `stop` or `kill`: the same address, the same data; resolves when it serves */
  start(): Promise<void>;
  dispose(): Promise<void>;
}

/** Servers of ours that a test run which breaks off must not leave behind. */
const live = new Set<ServerProcess>();
process.once('exit', () => {
  for (const server of live) signal(server, 'SIGKILL');
});

async function ownServer(
  name: string,
  portCount: number,
  launch: (folder: string, ports: readonly number[]) => Promise<ServerProcess>,
  addressOf: (port: number) => string,
): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), `countersign-${name}-`));
  const ports = await freePorts(portCount);
  const port = ports[0] ?? 0;
  let server = await launch(folder, ports);
  live.add(server);
  const end = async (graceMs: number) => {
    await stopServer(server, { graceMs });
    live.delete(server);
  };
  return {
    address: addressOf(port),
    port,
    get pid() {
      return server.pid;
    },
    stop: () => end(15_000),
    kill: () => end(0),
    freeze: () => signal(server, 'SIGSTOP'),
    thaw: () => signal(server, 'SIGCONT'),
    async start() {
      if (isRunning(server)) return;
      server = await launch(folder, ports);
      live.add(server);
    },
    async dispose() {
      await end(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A Kafka broker (one KRaft node, a cluster of its own): to be restarted and killed. Ready in about three seconds. */
export function ownBroker(): Promise<OwnServer> {
  return ownServer(
    'kafka',
    2,
    (folder, [port = 0, controllerPort = 0]) => startKafka({ folder, port, controllerPort }),
    (port) => `127.0.0.1:${port}`,
  );
}

/** A Redis, `noeviction`. `durable`: with an append-only file, so that a restart finds the data. */
export function ownRedis(
  options: { readonly durable?: boolean; readonly options?: readonly string[] } = {},
): Promise<OwnServer> {
  return ownServer(
    'redis',
    1,
    (folder, [port = 0]) => startRedis({ folder, port, ...options }),
    (port) => `redis://127.0.0.1:${port}`,
  );
}

/** A schema registry; it forgets its schemas at a restart. */
export function ownRegistry(): Promise<OwnServer> {
  return ownServer('registry', 1, (folder, [port = 0]) => startRegistry({ folder, port }), registryUrl);
}

export interface OwnCluster {
  /** a URL of each master */
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
  dispose(): Promise<void>;
}

/** A Redis Cluster of three masters that share the slots. */
export async function ownRedisCluster(): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-redis-cluster-'));
  const { ports, servers } = await startRedisCluster({ folder });
  for (const server of servers) live.add(server);
  return {
    ports,
    addresses: ports.map((port) => `redis://127.0.0.1:${port}`),
    async dispose() {
      await Promise.all(servers.map((server) => stopServer(server, { graceMs: 0 })));
      for (const server of servers) live.delete(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
