import type { PaymentState } from '../../evaluator/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ShardStore } from '../../ports/shard-store.ts';
import { isAuthorityKey } from '../../records/authority-key.ts';
import { partitionOfKey } from '../../records/index.ts';
import { parseState } from '../../records/parse-state.ts';

export interface StoredStatesOptions {
  readonly store: Pick<ShardStore, 'load' | 'scan'>;
  /** how many shards there are */
  readonly partitions: () => Promise<number>;
  readonly clock: Clock;
}

/** A search looks at so many payments, for so long; a large store needs the payment to be named. */
const SEARCHED_MAX = 20_000;
const SEARCH_MS = 2_000;

/** The states in a shard store, for those who read them beside the owner. */
export const createStoredStates = ({ store, partitions, clock }: StoredStatesOptions) => {
  let isSearching = false;

  async function* search(operationId: string): AsyncGenerator<PaymentState> {
    const until = clock.now() + SEARCH_MS;
    const count = await partitions();
    let searched = 0;
    for (let shard = 0; shard < count; shard += 1) {
      for await (const { paymentKey, value } of store.scan(shard)) {
        if (isAuthorityKey(paymentKey)) continue;
        searched += 1;
        if (searched > SEARCHED_MAX || clock.now() > until) return;
        const state = parseState(paymentKey, value);
        if (Object.hasOwn(state.operations, operationId)) yield state;
      }
    }
  }

  return {
    stateOf: async (paymentKey: string): Promise<PaymentState | null> => {
      const shard = partitionOfKey(paymentKey, await partitions());
      const [value = null] = await store.load(shard, [paymentKey]);
      return value === null ? null : parseState(paymentKey, value);
    },
    /** One search at a time: it reads much, and the store is there for others first. */
    async *statesWith(operationId: string): AsyncGenerator<PaymentState> {
      if (isSearching) return;
      isSearching = true;
      try {
        yield* search(operationId);
      } finally {
        isSearching = false;
      }
    },
  };
};
