import type { Message } from 'kafkajs';
import { varIntSize, type WireWriter } from './wire-writer.ts';

type Content = Buffer | string | null | undefined;

/** A message with its place in its batch, and how many bytes it will be; its length stands before it. */
export interface SizedRecord {
  readonly message: Message;
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly size: number;
}

const NO_HEADERS: NonNullable<Message['headers']> = {};

const sizeOf = (content: Content): number => {
  if (content === null || content === undefined) return varIntSize(-1);
  const size = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  return varIntSize(size) + size;
};

/** Visits each header; one that is a list stands once for each of its values. */
const eachHeader = (headers: NonNullable<Message['headers']>, visit: (name: string, value: Content) => void): void => {
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (Array.isArray(value)) for (const one of value) visit(name, one);
    else visit(name, value);
  }
};

/** Counts a record (message format 2) without writing it. */
export const sizeRecord = (message: Message, offsetDelta: number, timestampDelta: number): SizedRecord => {
  let [headers, size] = [0, 1 + varIntSize(timestampDelta) + varIntSize(offsetDelta)];
  size += sizeOf(message.key) + sizeOf(message.value);
  eachHeader(message.headers ?? NO_HEADERS, (name, value) => {
    headers += 1;
    size += sizeOf(name) + sizeOf(value);
  });
  return { message, offsetDelta, timestampDelta, size: size + varIntSize(headers) };
};

const write = (writer: WireWriter, content: Content): void => {
  if (content === null || content === undefined) writer.varInt(-1);
  else if (typeof content === 'string') {
    const size = Buffer.byteLength(content);
    writer.varInt(size);
    writer.text(content, size);
  } else {
    writer.varInt(content.length);
    writer.bytes(content);
  }
};

/**
 * Record => Length Attributes TimestampDelta OffsetDelta Key Value [HeaderKey HeaderValue], its numbers zigzag varints
 * (https://kafka.apache.org/documentation/#record).
 */
export const writeRecord = (writer: WireWriter, record: SizedRecord): void => {
  const { message, offsetDelta, timestampDelta, size } = record;
  const headers = message.headers ?? NO_HEADERS;
  writer.varInt(size);
  writer.int8(0);
  writer.varInt(timestampDelta);
  writer.varInt(offsetDelta);
  write(writer, message.key);
  write(writer, message.value);
  let count = 0;
  eachHeader(headers, () => {
    count += 1;
  });
  writer.varInt(count);
  eachHeader(headers, (name, value) => {
    write(writer, name);
    write(writer, value);
  });
};
