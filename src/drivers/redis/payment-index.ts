import type { OperationIndex } from '../../ports/operation-index.ts';
import type { RedisConnection } from './connection.ts';

export interface PaymentIndexOptions {
  readonly keyOf: (id: string) => string;
  /** seconds after the last entry of an id until it is forgotten */
  readonly keptS: number;
  /** what is indexed, for errors: "an operation" */
  readonly what: string;
}

/** One id is seldom of more than one payment; who sends the same one for ever shall not fill the store. */
const PAYMENTS_MAX = 20;

/** An index from ids to payments: a small set for each id, which expires. */
export const createPaymentIndex = (redis: RedisConnection, options: PaymentIndexOptions): OperationIndex => ({
  add: async (id, paymentKey) => {
    const key = options.keyOf(id);
    await redis.ask(`index ${options.what}`, async (client) => {
      if ((await client.scard(key)) < PAYMENTS_MAX) await client.sadd(key, paymentKey);
      await client.expire(key, options.keptS);
    });
  },
  paymentsOf: (id) => redis.ask(`look ${options.what} up`, (client) => client.smembers(options.keyOf(id))),
});
