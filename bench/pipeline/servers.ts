import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stackEnvironment } from '../../scripts/stack/environment.mjs';
import { startKafka } from '../../scripts/stack/kafka.mjs';
import { freePorts } from '../../scripts/stack/ports.mjs';
import { stopServer } from '../../scripts/stack/processes.mjs';
import { startRedis } from '../../scripts/stack/redis.mjs';
import { startRegistry } from '../../scripts/stack/registry.mjs';

/** The servers of a run. */
export interface Servers {
  /** what names them to Countersign */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Those that COUNTERSIGN_BROKERS names; without it Kafka, Redis and a registry of this run's own, tuned for throughput. */
export const startServers = async (): Promise<Servers> => {
  if (process.env['COUNTERSIGN_BROKERS']) return { env: {}, stop: () => Promise.resolve() };
  const folder = mkdtempSync(join(tmpdir(), 'countersign-servers-'));
  const folderOf = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };
  const [kafka = 0, controllerPort = 0, redis = 0, registry = 0] = await freePorts(4);
  const started = await Promise.all([
    startKafka({ folder: folderOf('kafka'), port: kafka, controllerPort, throughput: true }),
    startRedis({ folder: folderOf('redis'), port: redis }),
    startRegistry({ folder: folderOf('registry'), port: registry }),
  ]);
  return {
    env: stackEnvironment({ kafka, redis, registry }),
    stop: async () => {
      await Promise.all(started.map((server) => stopServer(server, { graceMs: 0 })));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
