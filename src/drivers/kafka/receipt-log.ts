import { type ChainHead, EMPTY_CHAIN, type HeldReceipt, type ReceiptSealer } from '../../ports/receipt-sealer.ts';
import type { ShardId } from '../../ports/shard-store.ts';
import type { PartitionReader } from './partition-reader.ts';
import { readPartition } from './read-partition.ts';

/** The topic that keeps a shard's receipts, and what makes them. */
export interface ReceiptLog {
  /** full name of the receipts topic */
  readonly topic: string;
  readonly sealer: ReceiptSealer;
}

export interface ReceiptTail {
  readonly head: ChainHead;
  /** the receipts that were looked at, by the hash of what they seal */
  readonly held: ReadonlyMap<string, HeldReceipt>;
}

/** The receipts from `from` up to `until`, in order; what somebody else wrote there is none. */
const receiptsFrom = async (
  reader: PartitionReader,
  { topic, sealer }: ReceiptLog,
  shard: ShardId,
  from: bigint,
  until: bigint,
): Promise<HeldReceipt[]> => {
  const texts: string[] = [];
  // Waits for what is still open before `until`: a chain that goes on from too early would fork.
  for await (const { records } of readPartition(reader, topic, shard, from, until)) {
    for (const { value } of records) if (value !== null) texts.push(Buffer.from(value).toString('utf8'));
  }
  const opened = await Promise.all(texts.map((jws) => sealer.open(shard, jws)));
  return opened.filter((receipt) => receipt !== null);
};

/**
 * The end of a shard's chain as its log tells it, at read_committed.
 *
 * @param records at least the receipts among so many last records are looked at, and as many more as it takes to find one
 */
export const readReceiptTail = async (
  reader: PartitionReader,
  log: ReceiptLog,
  shard: ShardId,
  records: number,
): Promise<ReceiptTail> => {
  const { low, high } = (await reader.bounds(log.topic))[shard] ?? { low: 0n, high: 0n };
  for (let step = BigInt(records); ; step *= 8n) {
    const from = high - step > low ? high - step : low;
    const receipts = from < high ? await receiptsFrom(reader, log, shard, from, high) : [];
    const last = receipts.at(-1);
    if (last === undefined && from > low) continue;
    return { head: last?.head ?? EMPTY_CHAIN, held: new Map(receipts.map((held) => [held.receipt.hash, held])) };
  }
};
