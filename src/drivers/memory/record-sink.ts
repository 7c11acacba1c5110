import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import type { OutgoingRecord, RecordSink } from '../../ports/record-sink.ts';
import { partitionOfKey, prefixedTopic } from '../../records/index.ts';

/** A log in memory: what is written can be read back, partition by partition, as a consumer would see it. */
export class MemoryRecordSink implements RecordSink {
  readonly #prefix: string;
  readonly #partitions: number;
  readonly #logs = new Map<string, ConsumedRecord[]>();
  #unkeyed = 0;

  /** @param partitions of each topic */
  constructor(topicPrefix: string, partitions: number) {
    this.#prefix = topicPrefix;
    this.#partitions = partitions;
  }

  async write(records: readonly OutgoingRecord[]): Promise<void> {
    for (const record of records) this.#append(record);
  }

  async close(): Promise<void> {}

  /** The records of one partition, oldest first. `topic` is the full name. */
  read(topic: string, partition: number): readonly ConsumedRecord[] {
    return this.#logs.get(`${topic}/${partition}`) ?? [];
  }

  #append({ topic: name, key, value, headers, timestamp }: OutgoingRecord): void {
    const topic = prefixedTopic(this.#prefix, name);
    // As a broker's client does it: what has no key goes round.
    const partition = key === null ? this.#unkeyed++ % this.#partitions : partitionOfKey(key, this.#partitions);
    const log = this.#logs.get(`${topic}/${partition}`) ?? [];
    const keyBytes = key === null ? null : Buffer.from(key, 'utf8');
    log.push({ topic, partition, offset: String(log.length), timestamp, key: keyBytes, value, headers });
    this.#logs.set(`${topic}/${partition}`, log);
  }
}
