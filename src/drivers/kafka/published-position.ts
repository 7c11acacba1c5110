import type { Admin } from 'kafkajs';
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
}

export const printPositionMetadata = ({ applied, foldFrom }: PublishedPosition): string =>
  JSON.stringify(foldFrom === null ? { applied } : { applied, fold_from: foldFrom });

const parsePositionMetadata = (metadata: string | null): Pick<PublishedPosition, 'applied' | 'foldFrom'> => {
  if (metadata === null || metadata === '') return { applied: {}, foldFrom: null };
  try {
    const { applied, fold_from: foldFrom } = JSON.parse(metadata) as { applied?: AppliedOffsets; fold_from?: number };
    return { applied: applied ?? {}, foldFrom: foldFrom ?? null };
  } catch {
    // Somebody set the offset with a tool. The offset itself is what counts.
    return { applied: {}, foldFrom: null };
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
