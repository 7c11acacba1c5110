import type { ContractSet } from '../../evaluator/index.ts';
import { own } from '../../evaluator/index.ts';
import type { ReadRequest } from '../../ports/provider-reader.ts';
import type { ClaimedRead, ShardId, ShardStore } from '../../ports/shard-store.ts';
import { parseState } from '../../records/parse-state.ts';

/**
 * What a claimed read asks of which provider. `gone`: nobody wants it any more, or it can never be read. `unknown`: a contract
 * that this process does not have (another version of it may).
 */
export type ResolvedRead =
  | { readonly kind: 'request'; readonly request: ReadRequest }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' };

const resolve = (contracts: ContractSet, read: ClaimedRead, value: string | null): ResolvedRead => {
  if (value === null) return { kind: 'gone' };
  const { provider, account, paymentId, operations } = parseState(read.paymentKey, value);
  const start = own(operations, read.operationId)?.start ?? null;
  if (start === null) return { kind: 'gone' };
  const { id, version } = start.contract;
  const contract = version === null ? null : contracts.find(id, version);
  if (contract === null) return { kind: 'unknown' };
  const reads = contract.channels.get(read.channel)?.reads ?? null;
  if (reads === null || (reads === 'refund' && read.resourceId === null)) return { kind: 'gone' };
  const { resourceId } = read;
  return { kind: 'request', request: { provider, account, paymentId, reads, resourceId, input: start.input } };
};

/** The reads of one shard with what each asks, by one look at the states. Throws STATE_UNAVAILABLE. */
export const resolveReads = async (
  store: Pick<ShardStore, 'load'>,
  contracts: ContractSet,
  shard: ShardId,
  reads: readonly ClaimedRead[],
): Promise<readonly ResolvedRead[]> => {
  const keys = [...new Set(reads.map(({ paymentKey }) => paymentKey))];
  const values = await store.load(shard, keys);
  const byKey = new Map(keys.map((key, index) => [key, values[index] ?? null]));
  return reads.map((read) => resolve(contracts, read, byKey.get(read.paymentKey) ?? null));
};
