import type { AppliedOffsets } from '../ports/shard-store.ts';

/** Whether some topic's offset in `a` lies before that in `b`; a topic that is not there is at 0. */
export const isBehind = (a: AppliedOffsets, b: AppliedOffsets): boolean =>
  Object.entries(b).some(([topic, offset]) => BigInt(a[topic] ?? '0') < BigInt(offset));

/** The greater offset of each topic. */
export const furthest = (a: AppliedOffsets, b: AppliedOffsets): AppliedOffsets => {
  const result: Record<string, string> = { ...a };
  for (const [topic, offset] of Object.entries(b)) {
    if (BigInt(offset) > BigInt(result[topic] ?? '0')) result[topic] = offset;
  }
  return result;
};
