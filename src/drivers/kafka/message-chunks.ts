import type { Message } from 'kafkajs';

/** One request carries at most so many bytes of values: a batch past the broker's limit (1 MB unless it was raised) is refused. */
const CHUNK_BYTES = 700_000;
/** What a message costs beyond its value and key: headers and framing. */
const MESSAGE_BYTES = 500;

const sizeOf = ({ key, value }: Message): number =>
  (value === null ? 0 : Buffer.byteLength(value)) + (key == null ? 0 : Buffer.byteLength(key)) + MESSAGE_BYTES;

/** Splits messages, in order, into chunks that the broker takes. One that is larger than a chunk stands alone. */
export const messageChunks = <T extends { readonly message: Message }>(items: readonly T[]): T[][] => {
  const chunks: T[][] = [];
  let chunk: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(item.message);
    if (chunk.length > 0 && bytes + size > CHUNK_BYTES) {
      chunks.push(chunk);
      [chunk, bytes] = [[], 0];
    }
    chunk.push(item);
    bytes += size;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
};
