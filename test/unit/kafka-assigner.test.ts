import fc from 'fast-check';
import kafkajs, { type Cluster } from 'kafkajs';
import { expect, test } from 'vitest';
import { createCopartitionedAssigner } from '../../src/drivers/kafka/assigner.ts';
import { type GroupMemberClaim, stickyAssignment } from '../../src/drivers/kafka/sticky-assignment.ts';

const sizes = (assignment: Map<string, number[]>): number[] => [...assignment.values()].map((list) => list.length);

const claimsOf = (assignment: Map<string, number[]>, generation: number): GroupMemberClaim[] =>
  [...assignment].map(([memberId, owned]) => ({ memberId, generation, owned }));

/** The fewest moves any balanced assignment can do: what cannot stay within the best shares has to go. */
const fewestMoves = (held: number[], members: number, count: number): number => {
  const share = Math.floor(count / members);
  const larger = count % members;
  const kept = [...held]
    .sort((a, b) => b - a)
    .reduce((sum, size, rank) => sum + Math.min(size, rank < larger ? share + 1 : share), 0);
  return held.reduce((sum, size) => sum + size, 0) - kept;
};

test('gives every partition to exactly one member, balanced to one, moving the fewest, over any membership changes', () => {
  const change = fc.record({ leaves: fc.nat(), joins: fc.nat({ max: 3 }), left: fc.nat({ max: 3 }) });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 64 }), fc.array(change, { maxLength: 12 }), (count, changes) => {
      let claims: GroupMemberClaim[] = [{ memberId: 'm0', generation: 0, owned: [] }];
      let next = 1;
      for (const [generation, { leaves, joins, left }] of changes.entries()) {
        const before = new Map(claims.map(({ memberId, owned }) => [memberId, owned]));
        const gone = new Set(
          claims.slice(leaves % claims.length, (leaves % claims.length) + left).map((m) => m.memberId),
        );
        const staying = claims.filter(({ memberId }) => !gone.has(memberId));
        const joining = Array.from({ length: joins }, () => ({ memberId: `m${next++}`, generation: 0, owned: [] }));
        const members = [...staying, ...joining];
        if (members.length === 0) members.push({ memberId: `m${next++}`, generation: 0, owned: [] });

        const assignment = stickyAssignment(members, count);
        expect([...assignment.values()].flat().sort((a, b) => a - b)).toEqual(
          Array.from({ length: count }, (_, p) => p),
        );
        expect(Math.max(...sizes(assignment)) - Math.min(...sizes(assignment))).toBeLessThanOrEqual(1);
        const moved = members.reduce(
          (sum, { memberId }) =>
            sum + (before.get(memberId) ?? []).filter((p) => !assignment.get(memberId)?.includes(p)).length,
          0,
        );
        expect(moved).toBe(
          fewestMoves(
            members.map((member) => member.owned.length),
            members.length,
            count,
          ),
        );
        expect(stickyAssignment([...members].reverse(), count)).toEqual(assignment);
        claims = claimsOf(assignment, generation + 1);
      }
    }),
    { numRuns: 300 },
  );
});

test('believes the later generation where two members say they hold a partition', () => {
  const assignment = stickyAssignment(
    [
      { memberId: 'a-zombie', generation: 4, owned: [0, 1, 2, 3] },
      { memberId: 'b-heir', generation: 5, owned: [0, 1] },
    ],
    4,
  );
  expect(assignment.get('b-heir')).toEqual([0, 1]);
  expect(assignment.get('a-zombie')).toEqual([2, 3]);
});

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

const clusterWith = (counts: Record<string, number>): Cluster =>
  ({
    findTopicPartitionMetadata: (topic: string) => {
      const count = counts[topic];
      if (count === undefined) throw new Error('KafkaJSTopicMetadataNotLoaded');
      return Array.from({ length: count }, (_, partitionId) => ({ partitionId }));
    },
  }) as unknown as Cluster;

const assignerOver = (counts: Record<string, number>) => {
  const assigner = createCopartitionedAssigner();
  const config = { cluster: clusterWith(counts), groupId: 'g' } as unknown as Parameters<
    typeof assigner.partitionAssigner
  >[0];
  return { assigner, protocol: assigner.partitionAssigner(config) };
};

test('gives one partition of every topic to the same member and remembers it in the user data', async () => {
  const { assigner, protocol } = assignerOver({ a: 6, b: 6 });
  assigner.joined([3, 4, 5]);
  assigner.heartbeat(7);
  const { metadata } = protocol.protocol({ topics: ['a', 'b'] });
  expect(JSON.parse(MemberMetadata.decode(metadata)?.userData.toString() ?? '')).toEqual({
    generation: 7,
    owned: [3, 4, 5],
  });

  const empty = MemberMetadata.encode({ version: 1, topics: ['a', 'b'], userData: Buffer.alloc(0) });
  const assigned = await protocol.assign({
    members: [
      { memberId: 'new', memberMetadata: empty },
      { memberId: 'old', memberMetadata: metadata },
    ],
    topics: ['a', 'b'],
  });
  const decoded = Object.fromEntries(
    assigned.map((each) => [each.memberId, MemberAssignment.decode(each.memberAssignment)?.assignment]),
  );
  expect(decoded).toEqual({ new: { a: [0, 1, 2], b: [0, 1, 2] }, old: { a: [3, 4, 5], b: [3, 4, 5] } });
  expect(assigner.unequalCounts()).toBeNull();
});

test('assigns the shards that all topics have and says so where their counts differ, instead of throwing', async () => {
  const { assigner, protocol } = assignerOver({ a: 6, b: 4 });
  const assigned = await protocol.assign({
    members: [{ memberId: 'm', memberMetadata: Buffer.from([9]) }],
    topics: ['a', 'b'],
  });
  expect(MemberAssignment.decode(assigned[0]?.memberAssignment ?? Buffer.alloc(0))?.assignment).toEqual({
    a: [0, 1, 2, 3],
    b: [0, 1, 2, 3],
  });
  expect(assigner.unequalCounts()).toEqual({ a: 6, b: 4 });
});

test('assigns nothing and says so where a topic is missing, instead of throwing', async () => {
  const { assigner, protocol } = assignerOver({ a: 6 });
  const assigned = await protocol.assign({
    members: [{ memberId: 'm', memberMetadata: Buffer.alloc(0) }],
    topics: ['a', 'b'],
  });
  expect(assigned).toHaveLength(1);
  expect(assigner.unequalCounts()).toEqual({ a: 6, b: 0 });
});
