import type { EventEntry, Json } from '../../evaluator/index.ts';
import { packDigest, type Row, text, textOrNull, trim, unpackDigest } from './cells.ts';
import type { Frame } from './frame.ts';

const ROLES = ['refund', 'reversal', 'dispute', 'other'] as const;

/** One authenticated event. What it says of the refund is in the refund's row. */
export const packEvent = (event: EventEntry, frame: Frame): Json[] =>
  trim([
    packDigest(event.key),
    event.id,
    event.type,
    ROLES.indexOf(event.role),
    frame.packTime(event.at),
    packDigest(event.sha256),
    frame.packSource(event.source),
    event.refundId,
    event.status,
    event.occurredAt,
  ]);

export const unpackEvent = (cells: Row, frame: Frame): EventEntry => {
  const [key, id, type, role, at, sha256, source, refundId, status, occurredAt] = cells;
  return {
    key: unpackDigest(text(key)),
    id: text(id),
    type: text(type),
    role: ROLES[role as number] as EventEntry['role'],
    refundId: textOrNull(refundId),
    status: textOrNull(status),
    occurredAt: textOrNull(occurredAt),
    at: frame.time(at),
    sha256: unpackDigest(text(sha256)),
    source: frame.unpackSource(source),
  };
};
