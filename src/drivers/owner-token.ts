/**
 * Owner tokens are `n:owner`. n only grows: it is the larger of the last one plus one and the wall time in microseconds, so
 * that a store which lost its last writes does not hand out an n again, and a lower stored n means "back in time".
 */
export const ownerToken = (stored: string, owner: string, nowMs: number): string => {
  if (owner === '') throw new TypeError('owner of a shard claim is empty; it must be unique for ever, such as a UUID');
  return `${Math.max(tokenNumber(stored) + 1, Math.floor(nowMs) * 1000)}:${owner}`;
};

/** n of `n:owner`; 0 for the empty token of a shard that nobody has claimed. */
export const tokenNumber = (token: string): number => {
  const n = Number.parseInt(token, 10);
  return Number.isSafeInteger(n) ? n : 0;
};
