import type { LogBounds } from '../../ports/input-log.ts';
import type { AppliedOffsets } from '../../ports/shard-store.ts';
import { type Check, checksOf } from './check.ts';

const { ok, warn, fail } = checksOf('state');

/** One shard's applied offsets against what the log holds. */
export interface ShardFacts {
  readonly shard: number;
  readonly applied: AppliedOffsets;
  /** topic → its partition of the shard */
  readonly bounds: ReadonlyMap<string, LogBounds>;
}

/** Whether state and topics belong together: the same partition count, and every applied offset still in the log. */
export const checkState = (
  stored: number | null,
  partitions: number | null,
  shards: readonly ShardFacts[],
): Check[] => {
  if (stored === null) return [ok('there is no state under this prefix yet')];
  if (partitions === null) return [warn(`the state was built with ${stored} partitions`, 'Create the topics first.')];
  if (stored !== partitions) {
    const advice = `Rebuild it: \`countersign rebuild --into NEW-PREFIX --partitions ${partitions}\`, then set redis.prefix.`;
    return [fail(`the state was built with ${stored} partitions, the topics have ${partitions}`, advice)];
  }
  const outside = shards.flatMap(({ shard, applied, bounds }) =>
    [...bounds].flatMap(([topic, { low, high }]) => {
      const offset = applied[topic];
      if (offset === undefined || (BigInt(offset) >= low && BigInt(offset) <= high)) return [];
      return [
        fail(
          `${topic}/${shard} was applied up to offset ${offset}, and the log holds ${low} to ${high}`,
          'The shard will halt (OFFSETS_OUTSIDE_LOG). Restore topic or state, or rebuild under a new prefix; lengthen the retention.',
        ),
      ];
    }),
  );
  if (outside.length > 0) return outside;
  const behind = shards.reduce(
    (sum, { applied, bounds }) =>
      sum + [...bounds].reduce((lag, [topic, { high }]) => lag + high - BigInt(applied[topic] ?? 0), 0n),
    0n,
  );
  return [
    ok(`the state has ${stored} shards; every applied offset is in the log; ${behind} records are left to apply`),
  ];
};
