import { OperatingError } from '../errors.ts';
import type { LogBounds, ShardOffsets } from '../ports/input-log.ts';
import type { ShardClaim } from '../ports/shard-store.ts';

/**
 * Where a shard goes on reading: at the offsets that were applied; a topic of which nothing was ever applied, from the first
 * record that it holds.
 *
 * @throws OperatingError OFFSETS_OUTSIDE_LOG where the log has lost records that were not applied, or holds less than was:
 *   no offset would be right, and going on at another one would skip evidence or apply it twice.
 */
export const startOffsets = (claim: ShardClaim, bounds: ReadonlyMap<string, LogBounds>): ShardOffsets => {
  const offsets = new Map<string, bigint>();
  for (const [topic, { low, high }] of bounds) {
    const applied = claim.applied[topic];
    if (applied === undefined) {
      offsets.set(topic, low);
      continue;
    }
    const offset = BigInt(applied);
    if (offset < low || offset > high) {
      const lost =
        offset < low
          ? `records ${offset} to ${low - 1n} were deleted before they were applied`
          : 'the topic was truncated or made anew since';
      throw new OperatingError(
        'OFFSETS_OUTSIDE_LOG',
        `${topic}/${claim.shard} was applied up to offset ${offset}, but the log holds ${low} to ${high}: ${lost}`,
        { context: { topic, shard: claim.shard, applied, low: low.toString(), high: high.toString() } },
      );
    }
    offsets.set(topic, offset);
  }
  return offsets;
};

/** As the store keeps them. */
export const appliedOffsets = (offsets: ShardOffsets): Record<string, string> =>
  Object.fromEntries([...offsets].map(([topic, offset]) => [topic, offset.toString()]));
