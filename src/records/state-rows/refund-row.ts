import type { FoldedRead, Json, JsonObject, RefundState } from '../../evaluator/index.ts';
import { type Row, rows, text, trim } from './cells.ts';
import { packFolded, unpackFolded } from './folded-row.ts';
import type { Frame } from './frame.ts';

/** A refund: its id, when it was first seen, and the greatest facts of each source of evidence. */
export const packRefund = (id: string, refund: RefundState, frame: Frame): Json[] =>
  trim([
    id,
    frame.packTime(refund.seenAt),
    refund.event === undefined ? null : packFolded(refund.event, frame),
    refund.acted === undefined ? null : packFolded(refund.acted, frame),
    refund.reads === undefined
      ? null
      : Object.entries(refund.reads).map(([channel, read]) => [channel, ...packFolded(read, frame), read.body]),
    refund.listed === undefined ? null : packFolded(refund.listed, frame),
  ]);

export const unpackRefund = (cells: Row, frame: Frame): [string, RefundState] => {
  const [idCell, seenAt, event, acted, reads, listed] = cells;
  const id = text(idCell);
  const refund: { -readonly [K in keyof RefundState]: RefundState[K] } = { seenAt: frame.time(seenAt) };
  if (event !== null && event !== undefined) refund.event = unpackFolded(event, id, frame);
  if (acted !== null && acted !== undefined) refund.acted = unpackFolded(acted, id, frame);
  if (listed !== null && listed !== undefined) refund.listed = unpackFolded(listed, id, frame);
  if (reads !== null && reads !== undefined) {
    refund.reads = Object.fromEntries(
      rows(reads).map(([channel, ...rest]): [string, FoldedRead] => [
        text(channel),
        { ...unpackFolded(rest, id, frame), body: rest[4] as JsonObject },
      ]),
    );
  }
  return [id, refund];
};
