import type { OperationIndex } from '../../ports/operation-index.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './keys.ts';

/** Longer than an operation is watched: three days of deadline, 35 days after it, and some. */
const KEPT_S = 60 * 86_400;
/** One id is seldom of more than one payment; who sends the same one for ever shall not fill the store. */
const PAYMENTS_MAX = 20;

/** The index as a small set for each operation id, which expires. */
export const createRedisOperationIndex = (redis: RedisConnection, prefix: string): OperationIndex => {
  const keys = keysOf(prefix);
  return {
    add: async (operationId, paymentKey) => {
      const key = keys.operation(operationId);
      await redis.ask('index an operation', async (client) => {
        if ((await client.scard(key)) < PAYMENTS_MAX) await client.sadd(key, paymentKey);
        await client.expire(key, KEPT_S);
      });
    },
    paymentsOf: (operationId) =>
      redis.ask('look an operation up', (client) => client.smembers(keys.operation(operationId))),
  };
};
