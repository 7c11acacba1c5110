import type { DecodedRecord } from '../../src/consumers/decoded-record.ts';
import { NO_HEADERS } from '../../src/consumers/decoded-record.ts';
import type { EpochMs, JsonObject } from '../../src/evaluator/index.ts';
import { printJson } from '../../src/records/json-text.ts';
import { parseLogLine } from '../../src/records/log-line.ts';
import type { Standing } from './world.ts';

/** What a record tells of a refund: its standing as the provider knew it, or that it exists. */
export interface Fact {
  readonly refundId: string;
  readonly standing: Standing | null;
}

/** What a record is about, for the oracle; the pipeline sees the record alone. */
export type About =
  | { readonly kind: 'started'; readonly operationId: string }
  | { readonly kind: 'acted'; readonly operationId: string; readonly refundId: string | null }
  | { readonly kind: 'event'; readonly facts: readonly Fact[] }
  | { readonly kind: 'forged' }
  | {
      readonly kind: 'read';
      readonly operationId: string;
      readonly channel: string;
      readonly purpose: string;
      readonly outcome: 'ok' | 'absent' | 'error';
      readonly isList: boolean;
      readonly facts: readonly Fact[];
    };

/** A record on its way to the pipeline. */
export interface Item {
  /** the first of its kind, and every repeat of it, have one id */
  readonly id: number;
  readonly about: About;
  readonly topic: 'operation-started' | 'webhook-received' | 'readback-result';
  readonly value: JsonObject;
  /** the record's own time */
  readonly at: EpochMs;
  readonly decoded: DecodedRecord;
}

export interface Delivered {
  /** when it reached the pipeline, in stream time */
  readonly at: EpochMs;
  readonly item: Item;
}

/** Prints a record and reads it back, as it would come from a log. */
export const makeItem = (id: number, about: About, topic: Item['topic'], value: JsonObject): Item => {
  const line = parseLogLine(printJson({ topic, value }));
  if (!line.ok) throw new TypeError(`the simulated ${topic} record is none: ${line.reason}`);
  const source = { topic, partition: 0, offset: String(id) };
  const decoded: DecodedRecord = { source, timestamp: null, key: null, headers: NO_HEADERS, record: line.record };
  return { id, about, topic, value, at: line.at, decoded };
};
