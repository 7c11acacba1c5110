import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ShardCommit, StateWrite } from '../../ports/shard-store.ts';
import { packState } from '../packed-state.ts';
import { wholeMs } from '../shard-commit.ts';
import type { ShardKeys } from './keys.ts';
import { PackedTexts } from './packed-texts.ts';
import { pendingText } from './pending-verdict.ts';
import { readLine } from './read-entry.ts';
import type { ScriptArgument } from './scripts.ts';

/** What `commit-n.lua` is called with; its header lists the slots. */
export interface CommitArguments {
  readonly keys: readonly string[];
  readonly args: readonly ScriptArgument[];
}

export const commitArguments = (keys: ShardKeys, commit: ShardCommit): CommitArguments => {
  const { claim } = commit;
  const streamTime = wholeMs(commit.streamTime);
  const { owner, offsets, evaluations, reads, readEntries, verdicts, unresolved } = keys;
  const scriptKeys = [owner, offsets, evaluations, reads, readEntries, verdicts, unresolved];
  const body = new PackedTexts(sizeOf(commit));
  packTopics(body, commit);
  body.push(commit.verdicts.length);
  for (const [index, verdict] of commit.verdicts.entries())
    body.push(pendingText({ ...verdict, sequence: claim.nextVerdict + index }));
  for (const write of commit.writes) {
    scriptKeys.push(keys.statePrefix + write.paymentKey);
    pushWrite(body, write, streamTime);
  }
  const bytes = body.bytes();
  const head = [claim.token, claim.sequence, claim.nextVerdict, streamTime];
  // Tells a commit that is sent again from another one of the same claim, and is no defence against anybody.
  const digest = hash('sha1', JSON.stringify([head, scriptKeys, bytes.length, crc32(bytes)]), 'base64');
  return { keys: scriptKeys, args: [...head, digest, Buffer.byteLength(keys.statePrefix), bytes] };
};

/** About as many bytes as the packed body will have. */
const sizeOf = (commit: ShardCommit): number => {
  let size = 1024;
  for (const { value, reads } of commit.writes) size += value.length + 64 + 192 * reads.length;
  for (const { key, value } of commit.verdicts) size += key.length + value.length + 128;
  return size;
};

const packTopics = (body: PackedTexts, commit: ShardCommit): void => {
  const applied = Object.entries(commit.applied);
  body.push(applied.length);
  for (const [topic, offset] of applied) {
    body.push(topic);
    body.push(commit.claim.applied[topic] ?? '0');
    body.push(offset);
  }
};

/**
 * The time to live counts from the stream time, not from the wall time: while a backlog is worked off, the shard lives in the
 * past, and a state that the wall clock calls old is not.
 */
const pushWrite = (body: PackedTexts, write: StateWrite, streamTime: number): void => {
  const liveMs = write.expiresAt === null ? null : wholeMs(write.expiresAt) - streamTime;
  const isDropped = liveMs !== null && liveMs <= 0;
  const reads = isDropped ? [] : write.reads;
  let first = Number.POSITIVE_INFINITY;
  for (const read of reads) first = Math.min(first, wholeMs(read.dueAt));
  body.push(isDropped ? '' : packState(write.value, write.unresolvedSince === undefined));
  body.push(isDropped ? 0 : (liveMs ?? ''));
  body.push(isDropped || write.evaluateAt === null ? '' : wholeMs(write.evaluateAt));
  body.push(reads.map(readLine).join('\n'));
  body.push(reads.length === 0 ? '' : first);
  body.push(isDropped || write.unresolvedSince === undefined ? '' : wholeMs(write.unresolvedSince));
};
