import { createHash } from 'node:crypto';
import type { ShardId } from '../../ports/shard-store.ts';

const PREFIX = /^[A-Za-z0-9._-]{1,128}$/;

/** The keys of one shard. All begin with its hash tag, so that Redis Cluster keeps them in one slot and one script can change them. */
export interface ShardKeys {
  /** hash: token, sequence, next_verdict, stream_time, digest of the last commit */
  readonly owner: string;
  /** hash: topic → offset after the last applied one */
  readonly offsets: string;
  /** sorted set: payment key by when it must be evaluated */
  readonly evaluations: string;
  /** sorted set: payment key by when its first read may be claimed */
  readonly reads: string;
  /** hash: payment key → its reads, a line each (read-entry.ts) */
  readonly readEntries: string;
  /** sorted set: payment key by when its oldest PENDING operation began */
  readonly unresolved: string;
  /** list: pending verdicts, oldest first (pending-verdict.ts) */
  readonly verdicts: string;
  /** what a payment's state key begins with; the payment key follows */
  readonly statePrefix: string;
}

/** Every key that Countersign uses in Redis, by the configured prefix. */
export interface Keys {
  shard(shard: ShardId): ShardKeys;
  /** string: the input topics' partition count that the state was built with */
  readonly partitions: string;
  /** string: when the call rate of a provider's account will be full again (take-call-1.lua) */
  rate(account: string): string;
  /** set: the payments that have an operation of this id (operation-index.ts) */
  operation(operationId: string): string;
  /** set: the payments that have a charge receipt of this reference (handoff-index.ts) */
  charge(receiptRef: string): string;
  /** set: the payment that a handoff is of (handoff-index.ts) */
  handoff(handoffId: string): string;
  /** string: how far a rebuild into this prefix is; gone once the state is complete */
  readonly rebuild: string;
  /** glob of all of it, for an ACL or a look with `redis-cli --scan` */
  readonly pattern: string;
}

const shortDigest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Throws a TypeError for a prefix that is not 1 to 128 letters, digits, `.`, `_` or `-`. */
export const keysOf = (prefix: string): Keys => {
  if (!PREFIX.test(prefix))
    throw new TypeError(`Redis prefix is "${prefix}"; it must be 1 to 128 letters, digits, ".", "_" or "-"`);
  return {
    shard: (shard) => {
      const tag = `{${prefix}:${shard}}`;
      return {
        owner: `${tag}:owner`,
        offsets: `${tag}:offsets`,
        evaluations: `${tag}:evaluations`,
        reads: `${tag}:reads`,
        readEntries: `${tag}:read-entries`,
        unresolved: `${tag}:unresolved`,
        verdicts: `${tag}:verdicts`,
        statePrefix: `${tag}:p:`,
      };
    },
    partitions: `{${prefix}}:partitions`,
    rate: (account) => `{${prefix}:rate:${account}}`,
    // By its digest: an id may hold braces, and is as long as its sender likes.
    operation: (id) => `{${prefix}:operation:${shortDigest(id)}}`,
    charge: (ref) => `{${prefix}:charge:${shortDigest(ref)}}`,
    handoff: (id) => `{${prefix}:handoff:${shortDigest(id)}}`,
    rebuild: `{${prefix}}:rebuild`,
    pattern: `{${prefix}[:}]*`,
  };
};
