/** W3C trace context, carried from an input record to the verdicts it causes. */
export const TRACEPARENT_HEADER = 'traceparent';

/** Marks a record that was re-published on the right partition of its topic; the value is `<partition>:<offset>` it came from. */
export const REKEYED_HEADER = 'countersign-rekeyed-from';

/**
 * One Kafka message as the stages see it, in the form of the log: nothing is parsed yet. The embedded pipeline makes the
 * same from its journal.
 */
export interface ConsumedRecord {
  /** the topic's full name */
  readonly topic: string;
  readonly partition: number;
  /** decimal text */
  readonly offset: string;
  /** the record's own timestamp, milliseconds since the epoch */
  readonly timestamp: number;
  readonly key: Uint8Array | null;
  /** null: a tombstone */
  readonly value: Uint8Array | null;
  /** UTF-8; a header that is repeated keeps its last value */
  readonly headers: Readonly<Record<string, string>>;
}
