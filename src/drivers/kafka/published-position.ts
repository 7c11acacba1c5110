import type { Admin } from 'kafkajs';
import type { ChainHead } from '../../ports/receipt-sealer.ts';
import type { AppliedOffsets } from '../../ports/shard-store.ts';

/**
 * How far a shard's verdicts are published: kept as a committed offset of a group without members, so that it commits in
 * the transaction that publishes. The offset is `next`; its metadata holds the rest.
 */
export interface PublishedPosition {
  /** the sequence number of the next verdict to publish */
  readonly next: number;
  /** the furthest offsets that were applied when something was published: a store that is behind them went back in time */
  readonly applied: AppliedOffsets;
  /** while such a replay is not through: the first sequence number that the store does not know to be published */
  readonly foldFrom: number | null;
  /** the head of the shard's chain of receipts; null where none is known: the receipts log has it then */
  readonly chain: ChainHead | null;
}

/** What the metadata holds: `chain` as [sequence, hash]. */
interface PositionMetadata {
  readonly applied?: AppliedOffsets;
  readonly fold_from?: number;
  readonly chain?: readonly [number, string];
}

export const printPositionMetadata = ({ applied, foldFrom, chain }: PublishedPosition): string =>
  JSON.stringify({
    applied,
    ...(foldFrom === null ? {} : { fold_from: foldFrom }),
    ...(chain === null || chain.hash === null ? {} : { chain: [chain.sequence, chain.hash] }),
  });

const parsePositionMetadata = (metadata: string | null): Omit<PublishedPosition, 'next'> => {
  if (metadata === null || metadata === '') return { applied: {}, foldFrom: null, chain: null };
  try {
    const { applied, fold_from: foldFrom, chain } = JSON.parse(metadata) as PositionMetadata;
    const head = chain === undefined ? null : { sequence: chain[0], hash: chain[1] };
    return { applied: applied ?? {}, foldFrom: foldFrom ?? null, chain: head };
  } catch {
    // Somebody set the offset with a tool. The offset itself is what counts.
    return { applied: {}, foldFrom: null, chain: null };
  }
};

/**
 * The position; null where none is held (nothing was published yet, or the offsets of the empty group have expired). Read it
 * only after a new transaction of the shard's transactional id has begun: before that, a former owner's may still commit.
 */
export const readPublishedPosition = async (
  admin: Admin,
  group: string,
  topic: string,
  partition: number,
): Promise<PublishedPosition | null> => {
  const answers = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  const found = answers
    .find((answer) => answer.topic === topic)
    ?.partitions.find((each) => each.partition === partition);
  if (found === undefined || BigInt(found.offset) < 0n) return null;
  return { next: Number(found.offset), ...parsePositionMetadata(found.metadata) };
};
