import type { Message } from 'kafkajs';
import { crc32c } from './crc32c.ts';
import { type SizedRecord, sizeRecord, writeRecord } from './record-writer.ts';
import { varIntSize, type WireWriter } from './wire-writer.ts';

/** What a transactional or idempotent producer puts into each batch. */
export interface BatchOrigin {
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly isTransactional: boolean;
}

/** The records of one partition, counted. */
export interface SizedBatch {
  readonly records: readonly SizedRecord[];
  readonly firstTimestamp: number;
  readonly maxTimestamp: number;
  /** bytes, from the first offset to the end */
  readonly size: number;
}

/** From the first offset to the number of records. */
const HEADER_BYTES = 61;
/** The first offset and the length itself do not count. */
const BEFORE_LENGTH_BYTES = 12;
const MAGIC = 2;
const TRANSACTIONAL = 16;

/** @param now for messages without a timestamp, milliseconds */
export const sizeBatch = (messages: readonly Message[], now: number): SizedBatch => {
  const times = messages.map(({ timestamp }) => (timestamp == null ? now : Number(timestamp)));
  let [firstTimestamp, maxTimestamp] = [times[0] ?? now, times[0] ?? now];
  for (const time of times) {
    firstTimestamp = Math.min(firstTimestamp, time);
    maxTimestamp = Math.max(maxTimestamp, time);
  }
  let size = HEADER_BYTES;
  const records = messages.map((message, index) => {
    const record = sizeRecord(message, index, (times[index] ?? now) - firstTimestamp);
    size += varIntSize(record.size) + record.size;
    return record;
  });
  return { records, firstTimestamp, maxTimestamp, size };
};

/** RecordBatch, message format 2, not compressed (https://kafka.apache.org/documentation/#recordbatch). */
export const writeBatch = (writer: WireWriter, batch: SizedBatch, origin: BatchOrigin): void => {
  const { records, firstTimestamp, maxTimestamp, size } = batch;
  const start = writer.offset;
  writer.int64(0n);
  writer.int32(size - BEFORE_LENGTH_BYTES);
  writer.int32(0);
  writer.int8(MAGIC);
  const crcAt = writer.offset;
  writer.int32(0);
  const body = writer.offset;
  writer.int16(origin.isTransactional ? TRANSACTIONAL : 0);
  writer.int32(records.length - 1);
  writer.int64(BigInt(firstTimestamp));
  writer.int64(BigInt(maxTimestamp));
  writer.int64(origin.producerId);
  writer.int16(origin.producerEpoch);
  writer.int32(origin.firstSequence);
  writer.int32(records.length);
  for (const record of records) writeRecord(writer, record);
  writer.buffer.writeInt32BE(crc32c(writer.buffer.subarray(0, start + size), body), crcAt);
};
