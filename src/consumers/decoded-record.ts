import type { ErrorCode } from '../errors.ts';
import type { EpochMs, Source } from '../evaluator/index.ts';
import type { InputRecord } from '../records/records.ts';

interface Positioned {
  /** where it stands, as verdicts cite it */
  readonly source: Source;
  /** the log's own timestamp; null where it keeps none */
  readonly timestamp: EpochMs | null;
}

/** A record whose value has been read and parsed, once. Whether it is evidence is not known yet. */
export interface DecodedRecord extends Positioned {
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly record: InputRecord;
}

/** Stands in a batch where a value is no input record of ours. */
export interface Undecodable extends Positioned {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** A record that goes to dead-letter with its bytes. `index` is its place in the batch. */
export interface DeadLetter {
  readonly index: number;
  readonly code: ErrorCode;
  readonly reason: string;
}

export const isUndecodable = (record: DecodedRecord | Undecodable): record is Undecodable => !('record' in record);

/** Headers of a log that has none. */
export const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});
