import type { BatchDeps } from '../../consumers/batch-deps.ts';
import type { RedisInspector, ShardPosition } from '../../drivers/redis/inspect.ts';
import type { EpochMs, PaymentState } from '../../evaluator/index.ts';
import type { ShardStore } from '../../ports/shard-store.ts';
import { isAuthorityKey } from '../../records/authority-key.ts';
import { parseState } from '../../records/parse-state.ts';
import { compareStates, type StateDifference } from './compare-states.ts';

const PAGE = 500;
/** How often payments that differ are looked at again while the live state moves on. */
const ROUNDS = 5;
/** Payments that differ, of one shard, that are held. */
const HELD_MAX = 10_000;

export interface PaymentDifference {
  readonly shard: number;
  readonly paymentKey: string;
  readonly differences: readonly StateDifference[];
}

export interface CompareOptions {
  readonly batch: BatchDeps;
  readonly live: ShardStore;
  readonly rebuilt: ShardStore;
  readonly inspector: RedisInspector;
  /** Brings the rebuilt shard to a position. */
  readonly follow: (shard: number, position: ShardPosition) => Promise<void>;
}

export interface ShardComparison {
  readonly payments: number;
  readonly different: readonly PaymentDifference[];
}

/** Whether a state may be dropped: the store of the live one has, and the rebuilt one was written just now. */
const hasExpired = ({ contracts, reduce }: BatchDeps, state: PaymentState, now: EpochMs): boolean => {
  if (state.evaluateAt !== null) return false;
  const ref = { provider: state.provider, account: state.account, paymentId: state.paymentId };
  const { expiresAt } = reduce(contracts, { ref, state, observations: [], appliedAt: [], now });
  return expiresAt !== null && expiresAt <= now;
};

const parsed = (key: string, value: string | null): PaymentState | null =>
  value === null ? null : parseState(key, value);

/** An authority's state is what it is bound to, as text; one that only the rebuilt state has has ended and was dropped. */
const compareAuthorities = (
  shard: number,
  key: string,
  live: string | null = null,
  rebuilt: string | null = null,
): PaymentDifference[] =>
  live === rebuilt || live === null
    ? []
    : [{ shard, paymentKey: key, differences: [{ path: 'bound_to', live, rebuilt }] }];

const compareKeys = async (
  { batch, live, rebuilt }: CompareOptions,
  shard: number,
  keys: readonly string[],
): Promise<PaymentDifference[]> => {
  const [ours, theirs] = await Promise.all([live.load(shard, keys), rebuilt.load(shard, keys)]);
  return keys.flatMap((paymentKey, index) => {
    if (isAuthorityKey(paymentKey)) return compareAuthorities(shard, paymentKey, ours[index], theirs[index]);
    const [a, b] = [parsed(paymentKey, ours[index] ?? null), parsed(paymentKey, theirs[index] ?? null)];
    if (a === null && b !== null && hasExpired(batch, b, Date.now())) return [];
    const differences = compareStates(a, b);
    return differences.length === 0 ? [] : [{ shard, paymentKey, differences }];
  });
};

/** Every payment of either state, in pages. A payment of both may be told twice. */
const allKeys = async function* ({ live, rebuilt }: CompareOptions, shard: number): AsyncGenerator<string[]> {
  for (const [store, other] of [
    [live, null],
    [rebuilt, live],
  ] as const) {
    let page: string[] = [];
    for await (const { paymentKey } of store.scan(shard)) {
      page.push(paymentKey);
      if (page.length < PAGE) continue;
      yield await missingIn(other, shard, page);
      page = [];
    }
    yield await missingIn(other, shard, page);
  }
};

/** Of the rebuilt state's payments only those that the live one lacks are still to be looked at. */
const missingIn = async (store: ShardStore | null, shard: number, keys: string[]): Promise<string[]> => {
  if (store === null || keys.length === 0) return keys;
  const held = await store.load(shard, keys);
  return keys.filter((_key, index) => held[index] === null);
};

/**
 * Compares one shard payment by payment. Where the live state moves on meanwhile, the rebuilt one follows it, and what differed is
 * looked at again: what is left differs at one and the same offsets.
 */
export const compareShard = async (options: CompareOptions, shard: number): Promise<ShardComparison> => {
  const { inspector, follow } = options;
  await follow(shard, await inspector.position(shard));
  let payments = 0;
  let different: PaymentDifference[] = [];
  for await (const keys of allKeys(options, shard)) {
    payments += keys.length;
    if (keys.length > 0 && different.length < HELD_MAX) different.push(...(await compareKeys(options, shard, keys)));
  }
  for (let round = 0; round < ROUNDS && different.length > 0; round += 1) {
    const before = await inspector.position(shard);
    await follow(shard, before);
    const keys = [...new Set(different.map(({ paymentKey }) => paymentKey))];
    different = [];
    for (let from = 0; from < keys.length; from += PAGE)
      different.push(...(await compareKeys(options, shard, keys.slice(from, from + PAGE))));
    if ((await inspector.position(shard)).sequence === before.sequence) break;
  }
  return { payments, different };
};
