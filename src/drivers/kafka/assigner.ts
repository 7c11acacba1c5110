import kafkajs, { type Assigner, type Cluster, type PartitionAssigner } from 'kafkajs';
import { type GroupMemberClaim, stickyAssignment } from './sticky-assignment.ts';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

const NAME = 'countersign-copartitioned-sticky';
const VERSION = 1;

/** Topic → how many partitions it has. */
export type PartitionCounts = Readonly<Record<string, number>>;

export interface CopartitionedAssigner {
  /** Offer this one alone: a group that also knows another assigner may elect that. */
  readonly partitionAssigner: PartitionAssigner;
  /** Tell it what this member was given, so that it asks for the same the next time. */
  joined(partitions: readonly number[]): void;
  /** Tell it the generation that a heartbeat named: only the latest word on a partition counts. */
  heartbeat(generation: number): void;
  /** The counts of the topics when they last differed, as the leader of the group saw them; null while they are equal. */
  unequalCounts(): PartitionCounts | null;
}

const decodeClaim = (memberId: string, metadata: Buffer): GroupMemberClaim => {
  try {
    const userData = MemberMetadata.decode(metadata)?.userData;
    if (userData === undefined || userData.length === 0) return { memberId, generation: 0, owned: [] };
    const { generation, owned } = JSON.parse(userData.toString('utf8')) as { generation?: unknown; owned?: unknown };
    return {
      memberId,
      generation: typeof generation === 'number' ? generation : 0,
      owned: Array.isArray(owned) ? owned.filter((partition) => Number.isInteger(partition)) : [],
    };
  } catch {
    // A member that speaks another dialect owns nothing as far as we can tell; it still gets its share.
    return { memberId, generation: 0, owned: [] };
  }
};

const partitionCount = (cluster: Cluster, topic: string): number => {
  try {
    return cluster.findTopicPartitionMetadata(topic).length;
  } catch {
    return 0;
  }
};

/**
 * Gives partition p of every topic to one member: a shard's records come to one place whatever their topic. Sticky and
 * balanced, see {@link stickyAssignment}. It never throws, because a leader that throws in here crashes, the next one is
 * elected, and throws: where topics have different counts, the shards that all of them have are given out, and
 * `unequalCounts` makes the process unhealthy.
 */
export const createCopartitionedAssigner = (): CopartitionedAssigner => {
  let generation = 0;
  let owned: readonly number[] = [];
  let unequal: PartitionCounts | null = null;

  const partitionAssigner: PartitionAssigner = ({ cluster }): Assigner => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: MemberMetadata.encode({
        version: VERSION,
        topics,
        userData: Buffer.from(JSON.stringify({ generation, owned })),
      }),
    }),
    assign: async ({ members, topics }) => {
      const counts = Object.fromEntries(topics.map((topic) => [topic, partitionCount(cluster, topic)]));
      const smallest = Math.min(...Object.values(counts));
      unequal = Object.values(counts).every((count) => count === smallest) ? null : counts;
      const claims = members.map(({ memberId, memberMetadata }) => decodeClaim(memberId, memberMetadata));
      return [...stickyAssignment(claims, smallest)].map(([memberId, partitions]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: VERSION,
          assignment: Object.fromEntries(topics.map((topic) => [topic, partitions])),
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });

  return {
    partitionAssigner,
    joined: (partitions) => {
      owned = [...partitions];
      // The client does not tell the generation on joining. It is at least one later than the last one known.
      generation += 1;
    },
    heartbeat: (known) => {
      generation = Math.max(generation, known);
    },
    unequalCounts: () => unequal,
  };
};
