import type { DecodedRecord, Undecodable } from '../../consumers/decoded-record.ts';
import type { EpochMs } from '../../evaluator/index.ts';
import { JsonTextError, parseJsonText } from '../../records/json-text.ts';
import { parseInputRecord } from '../../records/parse.ts';
import { INPUT_TOPICS, type InputTopic } from '../../records/topics.ts';

/** A record on its way into the embedded pipeline. */
export interface EmbeddedInput {
  readonly topic: InputTopic;
  readonly key?: string | null;
  /** the record as JSON text */
  readonly value: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a journal holds: a record as it came, or that time was seen to pass. */
export type JournalEntry =
  | { readonly form: 'record'; readonly at: EpochMs; readonly input: EmbeddedInput }
  | { readonly form: 'tick'; readonly at: EpochMs };

export const printEntry = (entry: JournalEntry): string =>
  entry.form === 'tick'
    ? JSON.stringify({ tick: entry.at })
    : JSON.stringify({
        at: entry.at,
        topic: entry.input.topic,
        key: entry.input.key ?? null,
        headers: entry.input.headers ?? {},
        value: entry.input.value,
      });

/** Reads back what {@link printEntry} wrote; null for anything else. */
export const parseEntry = (payload: string): JournalEntry | null => {
  const entry = JSON.parse(payload) as Record<string, unknown>;
  if (typeof entry['tick'] === 'number') return { form: 'tick', at: entry['tick'] };
  const { at, topic, key, headers, value } = entry;
  const known = INPUT_TOPICS.find((name) => name === topic);
  if (typeof at !== 'number' || known === undefined || typeof value !== 'string') return null;
  return {
    form: 'record',
    at,
    input: {
      topic: known,
      key: typeof key === 'string' ? key : null,
      value,
      headers: (headers ?? {}) as Readonly<Record<string, string>>,
    },
  };
};

/** Parses an embedded record, once. `offset` is its place among the records of its topic. */
export const decodeInput = (input: EmbeddedInput, at: EpochMs, offset: number): DecodedRecord | Undecodable => {
  const source = { topic: input.topic, partition: 0, offset: String(offset) };
  try {
    const parsed = parseInputRecord(parseJsonText(input.value), input.topic);
    if (!parsed.ok) return { source, timestamp: at, code: parsed.code, reason: parsed.reason };
    return { source, timestamp: at, key: input.key ?? null, headers: input.headers ?? {}, record: parsed.record };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const code = error.problem === 'too_large' ? 'RECORD_TOO_LARGE' : 'RECORD_MALFORMED';
    return { source, timestamp: at, code, reason: error.message };
  }
};
