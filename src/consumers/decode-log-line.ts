import { parseLogLine } from '../records/log-line.ts';
import { type DecodedRecord, NO_HEADERS, type Undecodable } from './decoded-record.ts';

/** Reads a line of a record log. Its place is the log's name as topic, partition 0, and the line's number as offset. */
export const decodeLogLine = (log: string, number: number, text: string): DecodedRecord | Undecodable => {
  const source = { topic: log, partition: 0, offset: String(number) };
  const parsed = parseLogLine(text);
  if (!parsed.ok) return { source, timestamp: null, code: parsed.code, reason: parsed.reason };
  return { source, timestamp: parsed.timestamp, key: parsed.key, headers: NO_HEADERS, record: parsed.record };
};
