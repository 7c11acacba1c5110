import { redisSection } from '../../src/config/redis.ts';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import type { Deployment } from './deployment.ts';

/** What Redis says the keys of the deployment take, bytes; its own tables and fragmentation left out. */
export const redisBytes = async ({ prefix, env }: Deployment): Promise<number> => {
  const redis = createRedis(redisSection.parse({ url: env['COUNTERSIGN_REDIS_URL'] }));
  const { client } = redis;
  let bytes = 0;
  let cursor = '0';
  do {
    const [next, keys] = (await client.call('scan', cursor, 'match', `*${prefix}*`, 'count', '1000')) as [
      string,
      string[],
    ];
    const sizes = await Promise.all(keys.map((key) => client.call('memory', 'usage', key, 'samples', '0')));
    for (const size of sizes) bytes += Number(size ?? 0);
    cursor = next;
  } while (cursor !== '0');
  client.disconnect();
  return bytes;
};
