import type { EpochMs } from '../evaluator/index.ts';
import type { InputTopic } from '../records/index.ts';

/** A record on its way out, in the form of the log. */
export interface OutgoingRecord {
  /** without its prefix: the sink knows that */
  readonly topic: InputTopic;
  /** the payment key; null only for an event whose payment its gateway does not know */
  readonly key: string | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** the record's own time */
  readonly timestamp: EpochMs;
}

/** Takes input records. One conformance suite runs over every driver: `test/conformance/record-sink.ts`. */
export interface RecordSink {
  /**
   * Once it has returned, every record is kept by all replicas in sync, on the partition that Java's default partitioner
   * gives its key, in the order given. A record may be kept twice after a crash: repeats are no news.
   *
   * @throws OperatingError BROKER_UNAVAILABLE (retryable), RECORD_TOO_LARGE (some of the others may be kept).
   */
  write(records: readonly OutgoingRecord[]): Promise<void>;
  close(): Promise<void>;
}
