import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import { type DeadLetterRecord, parseDeadLetter } from './dead-letter.ts';
import type { PartitionReader } from './partition-reader.ts';
import { readPartition } from './read-partition.ts';

/** On a record that was sent again from dead-letter; the value is `<partition>:<offset>` of its dead letter. */
export const REDRIVEN_FROM_HEADER = 'countersign-redriven-from';

/**
 * On a message of the dead-letter topic that says that the letter at `<partition>:<offset>` has been sent again. It is written
 * in the transaction that sends, on the letter's own partition: a letter is sent again once, whoever asks how often.
 */
export const REDRIVEN_MARK_HEADER = 'countersign-redriven';

/** A dead letter with its name, and whether it has been sent again. */
export interface DeadLetter extends DeadLetterRecord {
  /** `<partition>:<offset>` in the dead-letter topic */
  readonly id: string;
  readonly isRedriven: boolean;
}

/** The letters of one partition that have been sent again, by id. */
const redrivenOf = async (
  reader: PartitionReader,
  topic: string,
  partition: number,
  { low, high }: { readonly low: bigint; readonly high: bigint },
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for await (const { records } of readPartition(reader, topic, partition, low, high)) {
    for (const { headers } of records) {
      const id = headers[REDRIVEN_MARK_HEADER];
      if (id !== undefined) ids.add(id);
    }
  }
  return ids;
};

const letterOf = (message: ConsumedRecord, redriven: ReadonlySet<string>): DeadLetter | null => {
  const letter = parseDeadLetter(message);
  if (letter === null) return null;
  const id = `${letter.at.partition}:${letter.at.offset}`;
  return { ...letter, id, isRedriven: redriven.has(id) };
};

/** Every dead letter that the topic holds, partition after partition, oldest first in each. */
export async function* readDeadLetters(reader: PartitionReader, topic: string): AsyncGenerator<DeadLetter> {
  for (const [partition, bounds] of (await reader.bounds(topic)).entries()) {
    const redriven = await redrivenOf(reader, topic, partition, bounds);
    for await (const { records } of readPartition(reader, topic, partition, bounds.low, bounds.high)) {
      for (const record of records) {
        const letter = letterOf(record, redriven);
        if (letter !== null) yield letter;
      }
    }
  }
}

/** One dead letter by its id; null where the topic holds none there. */
export const readDeadLetter = async (
  reader: PartitionReader,
  topic: string,
  id: string,
): Promise<DeadLetter | null> => {
  const [partition = Number.NaN, offset = ''] = [Number(id.split(':')[0]), id.split(':')[1] ?? ''];
  const bounds = (await reader.bounds(topic))[partition];
  if (bounds === undefined || !/^\d+$/.test(offset)) return null;
  const at = BigInt(offset);
  if (at < bounds.low || at >= bounds.high) return null;
  const redriven = await redrivenOf(reader, topic, partition, bounds);
  for await (const { records } of readPartition(reader, topic, partition, at, at + 1n)) {
    const record = records.find((one) => one.offset === offset);
    if (record !== undefined) return letterOf(record, redriven);
  }
  return null;
};
