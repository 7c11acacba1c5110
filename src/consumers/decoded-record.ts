import type { ErrorCode } from '../errors.ts';
import type { EpochMs, Json, Source } from '../evaluator/index.ts';

/** A record whose value has been read as JSON or Avro, once; what it means is not known yet. */
export interface DecodedRecord {
  /** where it stands, as verdicts cite it */
  readonly source: Source;
  /** the input topic without its prefix, e.g. `webhook-received` */
  readonly topic: string;
  /** the log's own timestamp; null where it keeps none */
  readonly timestamp: EpochMs | null;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Json;
}

/** A record that goes to dead-letter with its bytes. `index` is its place in the batch. */
export interface DeadLetter {
  readonly index: number;
  readonly code: ErrorCode;
  readonly reason: string;
}

/** Stands in a batch where a record could not even be decoded. */
export interface Undecodable {
  readonly code: ErrorCode;
  readonly reason: string;
}

export const isUndecodable = (record: DecodedRecord | Undecodable): record is Undecodable => 'code' in record;
