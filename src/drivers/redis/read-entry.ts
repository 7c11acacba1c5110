import type { DueRead } from '../../evaluator/index.ts';
import type { ClaimedRead, ShardId } from '../../ports/shard-store.ts';
import { wholeMs } from '../shard-commit.ts';

/**
 * A due read as Redis holds it, one line: `<due at> <held until> <f|l|d> <lease> <read>`. It may be claimed from the later of
 * the two times. f: free, l: leased, d: done (not claimable until a commit states it again). The read is a JSON array, which
 * the scripts compare as text and never parse.
 */
export const readLine = (read: DueRead): string => `${wholeMs(read.dueAt)} 0 f - ${readText(read)}`;

export const readText = (read: DueRead): string =>
  JSON.stringify([read.operationId, read.channel, read.resourceId, read.purpose, read.attempt]);

const LINE = /^(\d+) \d+ l (\S+) (.*)$/s;

/** The read of a line that a claim returned. */
export const parseClaimedLine = (shard: ShardId, paymentKey: string, line: string): ClaimedRead => {
  const match = LINE.exec(line);
  if (match === null) throw new TypeError(`a read entry of ${paymentKey} is "${line}"; that is no leased line`);
  const [, dueAt = '', lease = '', text = ''] = match;
  const [operationId, channel, resourceId, purpose, attempt] = JSON.parse(text) as [
    string,
    string,
    string | null,
    DueRead['purpose'],
    number,
  ];
  return { shard, paymentKey, lease, operationId, channel, resourceId, purpose, attempt, dueAt: Number(dueAt) };
};
