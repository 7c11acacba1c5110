import type { DueRead, EpochMs } from '../../evaluator/index.ts';

/** A due read as the queue holds it. Entries are replaced, never changed in place. */
export interface ReadEntry {
  readonly read: DueRead;
  /** may not be claimed before this, whatever `dueAt` says; 0 where nothing holds it back */
  readonly heldUntil: EpochMs;
  /** `free`: claimable from max(dueAt, heldUntil). `leased`: the same, and its holder may give it back. `done`: not claimable. */
  readonly hold: 'free' | 'leased' | 'done';
  readonly lease: string;
}

/** When the entry may be claimed; null: not before a commit states it again. */
export const claimableAt = (entry: ReadEntry): EpochMs | null =>
  entry.hold === 'done' ? null : Math.max(entry.read.dueAt, entry.heldUntil);

/** The earliest time at which one of the entries may be claimed. */
export const firstClaimableAt = (entries: readonly ReadEntry[]): EpochMs | null => {
  let first: EpochMs | null = null;
  for (const entry of entries) {
    const at = claimableAt(entry);
    if (at !== null && (first === null || at < first)) first = at;
  }
  return first;
};

/**
 * The entries of a payment after a commit that wants `reads`. A read that is stated again just as it was keeps its lease, and
 * one that is done stays held back until its lease would have ended: the commit does not know of that call yet.
 */
export const restated = (before: readonly ReadEntry[], reads: readonly DueRead[]): ReadEntry[] =>
  reads.map((read) => {
    const held = before.find(
      (entry) => entry.heldUntil > 0 && sameRead(entry.read, read) && entry.read.dueAt === read.dueAt,
    );
    if (held === undefined) return { read, heldUntil: 0, hold: 'free', lease: '' };
    return { ...held, hold: held.hold === 'done' ? 'free' : held.hold };
  });

/** The same call, whenever it is due. */
export const sameRead = (a: DueRead, b: DueRead): boolean =>
  a.operationId === b.operationId &&
  a.channel === b.channel &&
  a.resourceId === b.resourceId &&
  a.purpose === b.purpose &&
  a.attempt === b.attempt;
