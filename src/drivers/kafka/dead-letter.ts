import { createHash } from 'node:crypto';
import type { Message, Producer } from 'kafkajs';
import { ERROR_CODES, type ErrorCode } from '../../errors.ts';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import type { DeadLetterEntry, DeadLetterSink } from '../../ports/dead-letters.ts';
import { brokerErrorType, brokerUnavailable } from './broker-error.ts';
import { messageChunks } from './message-chunks.ts';

/** A dead letter's value and key are the record's own bytes; these headers stand beside the record's own. */
export const DEAD_LETTER_HEADERS = {
  topic: 'countersign-dead-letter-topic',
  partition: 'countersign-dead-letter-partition',
  offset: 'countersign-dead-letter-offset',
  code: 'countersign-dead-letter-code',
  reason: 'countersign-dead-letter-reason',
  /** only where the value was larger than the topic takes: its SHA-256; the bytes are still at topic, partition, offset */
  omitted: 'countersign-dead-letter-omitted-sha256',
} as const;

const REASON_CHARS = 2_000;

const headersOf = ({ record, code, reason }: DeadLetterEntry): Record<string, string> => ({
  ...record.headers,
  [DEAD_LETTER_HEADERS.topic]: record.topic,
  [DEAD_LETTER_HEADERS.partition]: String(record.partition),
  [DEAD_LETTER_HEADERS.offset]: record.offset,
  [DEAD_LETTER_HEADERS.code]: code,
  [DEAD_LETTER_HEADERS.reason]: reason.slice(0, REASON_CHARS),
});

const bytesOf = (bytes: Uint8Array | null): Buffer | null =>
  bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const messageOf = (entry: DeadLetterEntry): Message => ({
  key: bytesOf(entry.record.key),
  value: bytesOf(entry.record.value),
  headers: headersOf(entry),
});

const withoutValue = (entry: DeadLetterEntry): Message => {
  const digest = createHash('sha256')
    .update(entry.record.value ?? '')
    .digest('hex');
  return { ...messageOf(entry), value: null, headers: { ...headersOf(entry), [DEAD_LETTER_HEADERS.omitted]: digest } };
};

const isTooLarge = (error: unknown): boolean =>
  ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'].includes(brokerErrorType(error));

/** Writes dead letters to their topic, acknowledged by every replica in sync. `producer` is connected and not transactional. */
export const createDeadLetterSink = (producer: Producer, topic: string): DeadLetterSink => {
  const send = async (messages: Message[]): Promise<void> => {
    await producer.send({ topic, acks: -1, messages });
  };
  /** What cannot be written holds its shard for ever; so one that does not fit is written without its value. */
  const sendEach = async (entries: readonly DeadLetterEntry[]): Promise<void> => {
    for (const entry of entries) {
      try {
        await send([messageOf(entry)]);
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        await send([withoutValue(entry)]);
      }
    }
  };
  return {
    write: async (entries) => {
      try {
        for (const chunk of messageChunks(entries.map((entry) => ({ item: entry, message: messageOf(entry) })))) {
          try {
            await send(chunk.map(({ message }) => message));
          } catch (error) {
            if (!isTooLarge(error)) throw error;
            await sendEach(chunk.map(({ item }) => item));
          }
        }
      } catch (cause) {
        throw brokerUnavailable('writing dead letters', cause);
      }
    },
  };
};

/** A dead letter read back. */
export interface DeadLetterRecord {
  /** where it stands in the dead-letter topic */
  readonly at: Pick<ConsumedRecord, 'partition' | 'offset' | 'timestamp'>;
  /** the record as it was: its own topic, partition, offset, key, value and headers; its value null where it did not fit */
  readonly record: ConsumedRecord;
  readonly code: ErrorCode | 'UNKNOWN';
  readonly reason: string;
  readonly isValueOmitted: boolean;
  /** the digest of a value that did not fit; null where it is here */
  readonly omittedSha256: string | null;
}

const OURS = new Set<string>(Object.values(DEAD_LETTER_HEADERS));

/** Reads a message of the dead-letter topic; null for one that is none of ours. */
export const parseDeadLetter = (message: ConsumedRecord): DeadLetterRecord | null => {
  const { topic, partition, offset, code, reason, omitted } = DEAD_LETTER_HEADERS;
  const from = message.headers[topic];
  if (from === undefined) return null;
  const named = message.headers[code] ?? '';
  return {
    at: { partition: message.partition, offset: message.offset, timestamp: message.timestamp },
    record: {
      topic: from,
      partition: Number(message.headers[partition]),
      offset: message.headers[offset] ?? '0',
      timestamp: message.timestamp,
      key: message.key,
      value: message.value,
      headers: Object.fromEntries(Object.entries(message.headers).filter(([name]) => !OURS.has(name))),
    },
    code: named in ERROR_CODES ? (named as ErrorCode) : 'UNKNOWN',
    reason: message.headers[reason] ?? '',
    isValueOmitted: message.headers[omitted] !== undefined,
    omittedSha256: message.headers[omitted] ?? null,
  };
};
