import type { IHeaders } from 'kafkajs';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';

/** A message as the client hands it out. */
export interface RawMessage {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: IHeaders;
}

const NO_HEADERS: ConsumedRecord['headers'] = {};

const textHeaders = (headers: IHeaders | undefined): ConsumedRecord['headers'] => {
  if (headers === undefined) return NO_HEADERS;
  const texts: Record<string, string> = {};
  let isEmpty = true;
  for (const name of Object.keys(headers)) {
    const given = headers[name];
    const last = Array.isArray(given) ? given.at(-1) : given;
    if (last === undefined) continue;
    texts[name] = typeof last === 'string' ? last : last.toString('utf8');
    isEmpty = false;
  }
  return isEmpty ? NO_HEADERS : texts;
};

export const consumedRecord = (topic: string, partition: number, message: RawMessage): ConsumedRecord => ({
  topic,
  partition,
  offset: message.offset,
  timestamp: Number(message.timestamp),
  key: message.key,
  value: message.value,
  headers: textHeaders(message.headers),
});
