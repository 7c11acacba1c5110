import { createHash } from 'node:crypto';
import type { DueRead } from '../../evaluator/index.ts';

/**
 * Milliseconds from 0 to below `withinMs`, always the same for the same read: operations that fall due together are read one
 * after another, and a run can be repeated.
 */
export const spreadMs = ({ operationId, channel, attempt }: DueRead, withinMs: number): number => {
  const digest = createHash('sha256').update(`${operationId}\n${channel}\n${attempt}`).digest();
  return Math.floor((digest.readUInt32BE(0) / 2 ** 32) * withinMs);
};
