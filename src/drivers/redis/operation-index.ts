import type { OperationIndex } from '../../ports/operation-index.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './keys.ts';
import { createPaymentIndex } from './payment-index.ts';

/** Longer than an operation is watched: three days of deadline, 35 days after it, and some. */
const KEPT_S = 60 * 86_400;

/** Which payments have an operation of an id. */
export const createRedisOperationIndex = (redis: RedisConnection, prefix: string): OperationIndex =>
  createPaymentIndex(redis, { keyOf: keysOf(prefix).operation, keptS: KEPT_S, what: 'an operation' });
