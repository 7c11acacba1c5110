import { createHash } from 'node:crypto';
import type { ShardCommit, StateWrite } from '../../ports/shard-store.ts';
import { claimAfter, wholeMs } from '../shard-commit.ts';
import type { ShardKeys } from './keys.ts';
import { pendingText } from './pending-verdict.ts';
import { readLine } from './read-entry.ts';

/** What `commit-n.lua` is called with; its header lists the slots. */
export interface CommitArguments {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

export const commitArguments = (keys: ShardKeys, commit: ShardCommit): CommitArguments => {
  const { claim } = commit;
  const streamTime = wholeMs(commit.streamTime);
  const scriptKeys = [keys.owner, keys.offsets, keys.evaluations, keys.reads, keys.readEntries, keys.verdicts];
  const body: (string | number)[] = [Buffer.byteLength(keys.statePrefix), ...topicArguments(commit)];
  body.push(commit.verdicts.length);
  for (const [index, verdict] of commit.verdicts.entries())
    body.push(pendingText({ ...verdict, sequence: claim.nextVerdict + index }));
  for (const write of commit.writes) {
    scriptKeys.push(keys.statePrefix + write.paymentKey);
    body.push(...stateArguments(write, streamTime));
  }
  const digest = digestOf([claim.sequence, claim.nextVerdict, streamTime, ...scriptKeys, ...body]);
  return { keys: scriptKeys, args: [claim.token, claim.sequence, claim.nextVerdict, streamTime, digest, ...body] };
};

const topicArguments = (commit: ShardCommit): (string | number)[] => {
  const applied = Object.entries(claimAfter(commit).applied);
  return [applied.length, ...applied.flatMap(([topic, offset]) => [topic, commit.claim.applied[topic] ?? '0', offset])];
};

/**
 * The time to live counts from the stream time, not from the wall time: while a backlog is worked off, the shard lives in the
 * past, and a state that the wall clock calls old is not.
 */
const stateArguments = (write: StateWrite, streamTime: number): (string | number)[] => {
  const liveMs = wholeMs(write.expiresAt) - streamTime;
  if (liveMs <= 0) return ['', '0', '', '', ''];
  const { reads } = write;
  let first = Number.POSITIVE_INFINITY;
  for (const read of reads) first = Math.min(first, wholeMs(read.dueAt));
  return [
    write.value,
    liveMs,
    write.evaluateAt === null ? '' : wholeMs(write.evaluateAt),
    reads.map(readLine).join('\n'),
    reads.length === 0 ? '' : first,
  ];
};

/** Tells this commit from any other that could be made of the same claim. Nothing secret; SHA-1 is the fastest. */
const digestOf = (parts: readonly (string | number)[]): string =>
  createHash('sha1').update(parts.join('\0')).digest('base64');
