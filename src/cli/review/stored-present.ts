import type { Config } from '../../config/schema.ts';
import { judgedAt, type PresentState, presentOf } from '../../console/present.ts';
import { loadContracts } from '../../contracts/load.ts';
import { createRedis } from '../../drivers/redis/connect.ts';
import { RedisInspector } from '../../drivers/redis/inspect.ts';
import { RedisShardStore } from '../../drivers/redis/shard-store.ts';
import { OperatingError } from '../../errors.ts';
import type { VerdictRecord } from '../../evaluator/index.ts';
import { parseState } from '../../records/parse-state.ts';
import { partitionOfKey } from '../../records/partition.ts';

/** Tells what published verdicts come to now. */
export interface StoredPresent {
  of(verdict: VerdictRecord): Promise<PresentState | null>;
  close(): Promise<void>;
}

const NONE: StoredPresent = { of: async () => null, close: async () => undefined };

/**
 * From the states in Redis, where one is configured and answers. A reviewer is not kept from the queue for want of it: what was
 * published is told then.
 * @param warn hears why the present cannot be told
 */
export const openStoredPresent = async (config: Config, warn: (message: string) => void): Promise<StoredPresent> => {
  if (config.redis.url === undefined) return NONE;
  const contracts = loadContracts(config.contracts);
  const redis = createRedis(config.redis);
  const store = new RedisShardStore(redis, config.redis.prefix);
  const inspector = new RedisInspector(redis, config.redis.prefix);
  try {
    const partitions = await inspector.partitions();
    if (partitions === null) throw new OperatingError('STATE_UNAVAILABLE', `nothing is under ${config.redis.prefix}`);
    return {
      of: async (verdict) => {
        const shard = partitionOfKey(verdict.payment_key, partitions);
        const [value = null] = await store.load(shard, [verdict.payment_key]);
        if (value === null) return null;
        const { streamTime } = await inspector.position(shard);
        const state = parseState(verdict.payment_key, value);
        return presentOf(verdict, judgedAt(contracts, state, verdict.operation_id, streamTime), streamTime);
      },
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    if (!(error instanceof OperatingError)) throw error;
    warn(`the queue is told as it was published; the state does not answer: ${error.message}`);
    return NONE;
  }
};
