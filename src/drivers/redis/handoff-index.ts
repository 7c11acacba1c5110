import { CHARGE_VALID_MS } from '../../evaluator/index.ts';
import type { HandoffIndex } from '../../ports/handoff-index.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './keys.ts';
import { createPaymentIndex } from './payment-index.ts';

/** As long as a charge receipt justifies anything, and a week. */
const CHARGE_KEPT_S = CHARGE_VALID_MS / 1000 + 7 * 86_400;
const HANDOFF_KEPT_S = 60 * 86_400;

/** By which reference a payment's charge is proven, and which payment a request was for. */
export const createRedisHandoffIndex = (redis: RedisConnection, prefix: string): HandoffIndex => {
  const keys = keysOf(prefix);
  return {
    charges: createPaymentIndex(redis, { keyOf: keys.charge, keptS: CHARGE_KEPT_S, what: 'a charge receipt' }),
    handoffs: createPaymentIndex(redis, { keyOf: keys.handoff, keptS: HANDOFF_KEPT_S, what: 'a handoff' }),
  };
};
