import type { Config } from '../../config/schema.ts';
import { createRedis } from '../../drivers/redis/connect.ts';
import { diagnose } from '../../drivers/redis/diagnose.ts';
import { RedisInspector, type ServerFacts } from '../../drivers/redis/inspect.ts';
import { type Check, checksOf } from './check.ts';
import { checkClock } from './clock-checks.ts';

const { ok, warn, fail } = checksOf('redis');

/** Whether what a server has acknowledged outlives it. */
export const checkDurability = (server: string, info: ReadonlyMap<string, string>): Check => {
  if (info.get('aof_enabled') === '1') {
    return info.get('aof_last_write_status') === 'err'
      ? fail(
          `${server} cannot write its append-only file`,
          'Look at its disk: what it acknowledges now is lost at a restart.',
        )
      : ok(`${server} keeps an append-only file`);
  }
  const advice =
    'Set `appendonly yes`: a restart without it goes back in time, and every shard is replayed from the log since.';
  return warn(`${server} keeps no append-only file`, advice);
};

const checkReplicas = (server: string, info: ReadonlyMap<string, string>): Check =>
  Number(info.get('connected_slaves') ?? 0) > 0
    ? ok(`${server} has ${info.get('connected_slaves')} replica(s)`)
    : warn(`${server} has no replica`, 'Give it one: until it is back, its shards pause.');

export const checkMode = (server: string, info: ReadonlyMap<string, string>, isCluster: boolean): Check => {
  const is = info.get('cluster_enabled') === '1';
  if (is === isCluster) return ok(`${server} is ${is ? 'part of a cluster' : 'a single server'}, as configured`);
  return fail(
    `${server} is ${is ? 'part of a cluster' : 'a single server'}, redis.cluster says ${isCluster}`,
    `Set redis.cluster (COUNTERSIGN_REDIS_CLUSTER) to ${is}.`,
  );
};

const checkServer = (facts: ServerFacts, isCluster: boolean): Check[] => {
  const { server, info, time, askedAt, answeredAt } = facts;
  return [
    ...diagnose(server, info).map(({ check, ok: isWell, detail, advice }) => {
      const what = `${server} ${check}: ${detail}`;
      if (isWell) return ok(what);
      return check === 'memory' ? warn(what, advice ?? '') : fail(what, advice ?? '');
    }),
    checkMode(server, info, isCluster),
    checkDurability(server, info),
    checkReplicas(server, info),
    checkClock(`Redis ${server}`, time, askedAt, answeredAt),
  ];
};

/** The servers, and the partition count that the state was built with (null: none yet). Throws STATE_UNAVAILABLE. */
export const checkRedis = async (
  config: Config,
): Promise<{
  readonly checks: Check[];
  readonly partitions: number | null;
  readonly inspector: RedisInspector;
  close(): Promise<void>;
}> => {
  const redis = createRedis(config.redis);
  const inspector = new RedisInspector(redis, config.redis.prefix);
  try {
    const servers = await inspector.servers();
    const partitions = await inspector.partitions();
    const checks = servers.flatMap((facts) => checkServer(facts, config.redis.cluster));
    return { checks, partitions, inspector, close: () => redis.close() };
  } catch (error) {
    await redis.close();
    throw error;
  }
};
