import { Cluster } from 'ioredis';
import type { RedisConnection } from './connection.ts';

/** One thing that was checked about a server. */
export interface RedisDiagnosis {
  readonly check: 'version' | 'maxmemory-policy' | 'memory';
  /** host:port, of a cluster's node */
  readonly server: string;
  readonly ok: boolean;
  readonly detail: string;
  /** what to do; null where all is well */
  readonly advice: string | null;
}

/** The oldest server whose scripts may call TIME before they write, and whose ACLs we use. */
const LEAST_MAJOR = 6;

/** How full a limited server may be before we say so. */
const FULL = 0.8;

/** What `doctor` says about Redis, for each master of a cluster. Throws STATE_UNAVAILABLE when a server does not answer. */
export const diagnoseRedis = async (redis: RedisConnection): Promise<readonly RedisDiagnosis[]> => {
  const { client } = redis;
  await redis.ask('answer a ping', () => client.ping());
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  const found = await Promise.all(
    servers.map(async (server) => {
      const name = `${server.options.host}:${server.options.port}`;
      const info = await redis.ask(`tell about ${name}`, () => server.info());
      return diagnose(name, parseInfo(info));
    }),
  );
  return found.flat();
};

/** The checks on what INFO says. */
export const diagnose = (server: string, info: ReadonlyMap<string, string>): RedisDiagnosis[] => {
  const version = info.get('redis_version') ?? 'unknown';
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  const used = Number(info.get('used_memory') ?? 0);
  const limit = Number(info.get('maxmemory') ?? 0);
  const isRecent = Number.parseInt(version, 10) >= LEAST_MAJOR;
  const keepsAll = policy === 'noeviction';
  const hasRoom = limit === 0 || used < FULL * limit;
  return [
    {
      check: 'version',
      server,
      ok: isRecent,
      detail: `Redis ${version}`,
      advice: isRecent ? null : `Run Redis ${LEAST_MAJOR} or newer.`,
    },
    {
      check: 'maxmemory-policy',
      server,
      ok: keepsAll,
      detail: policy,
      advice: keepsAll
        ? null
        : 'Set `maxmemory-policy noeviction`: a state that is thrown out is a duplicate refund that is missed.',
    },
    {
      check: 'memory',
      server,
      ok: hasRoom,
      detail: limit === 0 ? `${used} bytes used, no limit` : `${used} of ${limit} bytes used`,
      advice: hasRoom ? null : 'Raise `maxmemory` or add nodes: a full server refuses commits, and its shards pause.',
    },
  ];
};

/** `INFO`'s text as name → value. */
export const parseInfo = (text: string): ReadonlyMap<string, string> => {
  const info = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) info.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return info;
};
