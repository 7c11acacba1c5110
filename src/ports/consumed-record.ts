/**
 * One Kafka message as the stages see it, in the form of the log: nothing is parsed yet. The embedded pipeline makes the
 * same from its journal.
 */
export interface ConsumedRecord {
  readonly topic: string;
  readonly partition: number;
  /** decimal text */
  readonly offset: string;
  /** the record's own timestamp, milliseconds since the epoch */
  readonly timestamp: number;
  readonly key: Uint8Array | null;
  /** null: a tombstone */
  readonly value: Uint8Array | null;
  /** a header that is repeated keeps its last value */
  readonly headers: Readonly<Record<string, Uint8Array>>;
}
