import type { EpochMs, PaymentState } from '../evaluator/index.ts';
import type { ShardId, ShardStore } from '../ports/shard-store.ts';
import { parseState } from '../records/parse-state.ts';
import type { StateCache } from './state-cache.ts';

/**
 * The states of a batch's payments, in the order asked: from the owner's cache, the rest in one read of the store. Null where
 * nothing is held.
 */
export const loadStates = async (
  store: Pick<ShardStore, 'load'>,
  shard: ShardId,
  cache: StateCache,
  paymentKeys: readonly string[],
  now: EpochMs,
): Promise<(PaymentState | null)[]> => {
  const states: (PaymentState | null)[] = new Array(paymentKeys.length).fill(null);
  const missing: number[] = [];
  for (const [index, key] of paymentKeys.entries()) {
    const cached = cache.get(key, now);
    if (cached === undefined) missing.push(index);
    else states[index] = cached;
  }
  if (missing.length === 0) return states;
  const keys = missing.map((index) => paymentKeys[index] ?? '');
  const loaded = await store.load(shard, keys);
  for (const [place, index] of missing.entries()) {
    const value = loaded[place];
    if (value !== null && value !== undefined) states[index] = parseState(keys[place] ?? '', value);
  }
  return states;
};
