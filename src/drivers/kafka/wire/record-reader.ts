import type { IHeaders } from 'kafkajs';
import { setOwn } from '../../../records/own-property.ts';

/** What the client knows of the batch that a record is in; its 64-bit numbers are text. */
export interface BatchContext {
  readonly firstOffset: string;
  readonly firstTimestamp: string;
  readonly maxTimestamp: string;
  readonly timestampType: number;
  readonly magicByte: number;
  readonly isControlBatch?: boolean;
}

export interface ReadRecord {
  readonly magicByte: number;
  readonly attributes: number;
  readonly timestamp: string;
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: IHeaders;
  readonly isControlRecord: boolean;
  readonly batchContext: BatchContext;
}

const LOG_APPEND_TIME = 1;

/** Reads zigzag varints of up to 53 bits, and what they are the lengths of. */
class RecordReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  int8(): number {
    this.#at += 1;
    return this.#bytes.readInt8(this.#at - 1);
  }

  varInt(): number {
    let byte = this.#bytes[this.#at++] as number;
    let unsigned = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = this.#bytes[this.#at++] as number;
      unsigned += (byte & 0x7f) * factor;
    }
    return unsigned % 2 === 0 ? unsigned / 2 : -(unsigned + 1) / 2;
  }

  content(): Buffer | null {
    const length = this.varInt();
    if (length < 0) return null;
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

/** A number of 64 bits as text, moved on: nearly always one that a double holds. */
const moved = (text: string, by: number): string => {
  const sum = Number(text) + by;
  return Number.isSafeInteger(sum) ? String(sum) : (BigInt(text) + BigInt(by)).toString();
};

const readHeaders = (reader: RecordReader): IHeaders => {
  const headers: IHeaders = {};
  for (let left = reader.varInt(); left > 0; left -= 1) {
    const name = reader.content()?.toString('utf8') ?? 'null';
    const value = reader.content() as Buffer;
    const held = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (held === undefined) setOwn(headers, name, value);
    else setOwn(headers, name, Array.isArray(held) ? [...held, value] : [held, value]);
  }
  return headers;
};

/**
 * Reads a record (message format 2) into the client's own form. `at` is where its attributes are; its length has been read.
 */
export const readRecord = (bytes: Buffer, at: number, context: BatchContext): ReadRecord => {
  const reader = new RecordReader(bytes, at);
  const attributes = reader.int8();
  const timestampDelta = reader.varInt();
  const { firstOffset, firstTimestamp, maxTimestamp, timestampType, magicByte, isControlBatch = false } = context;
  const isLogTime = timestampType === LOG_APPEND_TIME && maxTimestamp !== '';
  return {
    magicByte,
    attributes,
    timestamp: isLogTime ? maxTimestamp : moved(firstTimestamp, timestampDelta),
    offset: moved(firstOffset, reader.varInt()),
    key: reader.content(),
    value: reader.content(),
    headers: readHeaders(reader),
    isControlRecord: isControlBatch,
    batchContext: context,
  };
};
