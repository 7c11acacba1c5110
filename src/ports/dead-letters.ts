import type { ErrorCode } from '../errors.ts';
import type { ConsumedRecord } from './consumed-record.ts';

/** A record that cannot be applied, and why. */
export interface DeadLetterEntry {
  readonly record: ConsumedRecord;
  readonly code: ErrorCode;
  /** what a person needs to put it right; never a secret */
  readonly reason: string;
}

/** Takes poison records out of the way. Once `write` has returned, they are kept, and their offsets may be applied. */
export interface DeadLetterSink {
  /** Throws a retryable OperatingError where they could not be kept: the shard then waits. May keep one twice after a crash. */
  write(entries: readonly DeadLetterEntry[]): Promise<void>;
}

/** A record that stands on a partition that is not its payment's. */
export interface RekeyedRecord {
  readonly record: ConsumedRecord;
  /** the key it should have had */
  readonly paymentKey: string;
  /** the partition of that key */
  readonly partition: number;
}

/** Sends records on to the partition of their payment, once each: what it publishes carries {@link REKEYED_HEADER}. */
export interface RekeySink {
  /** Throws a retryable OperatingError where they could not be published. May publish one twice after a crash: repeats are no news. */
  write(records: readonly RekeyedRecord[]): Promise<void>;
}
