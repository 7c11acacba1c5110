import type { ErrorCode } from '../errors.ts';
import type { EpochMs } from '../evaluator/index.ts';
import { recordTime } from '../records/record-time.ts';
import { type DecodedRecord, isUndecodable, type Undecodable } from './decoded-record.ts';

/**
 * Stream time where there is no log to take it from: the greatest of the records' own times so far. A record that is refused
 * says nothing of the time: anybody could have written it, and a later instant would end everybody's wait.
 */
export class RecordClock {
  #now: EpochMs;

  /** @param start where time stands before the first record */
  constructor(start: EpochMs = 0) {
    this.#now = start;
  }

  get now(): EpochMs {
    return this.#now;
  }

  reach(record: DecodedRecord | Undecodable, refused: ErrorCode | null): EpochMs {
    if (!isUndecodable(record) && refused === null) this.advance(recordTime(record.record));
    return this.#now;
  }

  advance(to: EpochMs): EpochMs {
    if (to > this.#now) this.#now = to;
    return this.#now;
  }
}
