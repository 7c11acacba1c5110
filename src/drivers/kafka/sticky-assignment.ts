/** What a member of the group says about itself when it joins. */
export interface GroupMemberClaim {
  readonly memberId: string;
  /** the group generation in which it was given `owned`; 0 for one that owned nothing */
  readonly generation: number;
  /** the partitions it holds */
  readonly owned: readonly number[];
}

/** Who holds each partition now: where two say so (one was away and missed a generation), the later generation is right. */
const currentOwners = (members: readonly GroupMemberClaim[], count: number): Map<number, string> => {
  const owners = new Map<number, GroupMemberClaim>();
  for (const member of members) {
    for (const partition of member.owned) {
      if (!Number.isInteger(partition) || partition < 0 || partition >= count) continue;
      const other = owners.get(partition);
      if (other === undefined || member.generation > other.generation) owners.set(partition, member);
    }
  }
  return new Map([...owners].map(([partition, member]) => [partition, member.memberId]));
};

/**
 * Gives each of `count` partitions to one member: balanced to one, and of all balanced assignments one that moves the fewest
 * partitions away from the members that hold them. The same input in any order gives the same answer.
 */
export const stickyAssignment = (members: readonly GroupMemberClaim[], count: number): Map<string, number[]> => {
  const sorted = [...members].sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const assignment = new Map<string, number[]>(sorted.map(({ memberId }) => [memberId, []]));
  if (sorted.length === 0) return assignment;

  const owners = currentOwners(sorted, count);
  const held = new Map<string, number[]>(sorted.map(({ memberId }) => [memberId, []]));
  for (let partition = 0; partition < count; partition += 1) held.get(owners.get(partition) ?? '')?.push(partition);

  // The members that hold most get the larger shares: each larger share elsewhere would cost one move.
  const byHeld = [...held.keys()].sort((a, b) => (held.get(b)?.length ?? 0) - (held.get(a)?.length ?? 0));
  const share = Math.floor(count / sorted.length);
  const larger = count % sorted.length;
  const quota = new Map(byHeld.map((memberId, rank) => [memberId, rank < larger ? share + 1 : share]));

  const free = new Set<number>(Array.from({ length: count }, (_, partition) => partition));
  for (const [memberId, partitions] of assignment) {
    for (const partition of (held.get(memberId) ?? []).slice(0, quota.get(memberId) ?? 0)) {
      partitions.push(partition);
      free.delete(partition);
    }
  }
  const unassigned = [...free];
  for (const [memberId, partitions] of assignment) {
    const missing = (quota.get(memberId) ?? 0) - partitions.length;
    partitions.push(...unassigned.splice(0, missing));
    partitions.sort((a, b) => a - b);
  }
  return assignment;
};
