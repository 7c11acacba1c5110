import type { Json, JsonObject, ListRead } from '../../evaluator/index.ts';
import { packDigest, type Row, text, unpackDigest } from './cells.ts';
import type { Frame } from './frame.ts';

/** The latest answer of a channel that lists the payment's refunds. */
export const packList = (channel: string, list: ListRead, frame: Frame): Json[] => [
  channel,
  frame.packTime(list.at),
  packDigest(list.sha256),
  frame.packSource(list.source),
  list.body,
  list.refundIds,
];

export const unpackList = ([channel, at, sha256, source, body, refundIds]: Row, frame: Frame): [string, ListRead] => [
  text(channel),
  {
    at: frame.time(at),
    sha256: unpackDigest(text(sha256)),
    source: frame.unpackSource(source),
    body: body as JsonObject,
    refundIds: refundIds as readonly string[],
  },
];
