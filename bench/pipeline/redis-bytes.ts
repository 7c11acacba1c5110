import { redisSection } from '../../src/config/redis.ts';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import type { Deployment } from './deployment.ts';

/** What Redis says the keys of the deployment take, bytes; its own tables and fragmentation left out. */
export interface RedisBytes {
  readonly states: number;
  /** what falls due: evaluations, reads, and what is unresolved */
  readonly queues: number;
  readonly rest: number;
}

const kindOf = (key: string): keyof RedisBytes => {
  if (/\}:p:/.test(key)) return 'states';
  return /\}:(evaluations|reads|read-entries|unresolved)$/.test(key) ? 'queues' : 'rest';
};

export const redisBytes = async ({ prefix, env }: Deployment): Promise<RedisBytes> => {
  const redis = createRedis(redisSection.parse({ url: env['COUNTERSIGN_REDIS_URL'] }));
  const { client } = redis;
  const bytes = { states: 0, queues: 0, rest: 0 };
  let cursor = '0';
  do {
    const [next, keys] = (await client.call('scan', cursor, 'match', `*${prefix}*`, 'count', '1000')) as [
      string,
      string[],
    ];
    const sizes = await Promise.all(keys.map((key) => client.call('memory', 'usage', key, 'samples', '0')));
    for (const [index, key] of keys.entries()) bytes[kindOf(key)] += Number(sizes[index] ?? 0);
    cursor = next;
  } while (cursor !== '0');
  client.disconnect();
  return bytes;
};
