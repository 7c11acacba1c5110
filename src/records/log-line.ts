import { type EpochMs, instantMs, isJsonObject, type Json } from '../evaluator/index.ts';
import { readJsonText } from './json-text.ts';
import { parseInputRecord } from './parse.ts';
import { recordTime } from './record-time.ts';
import type { InputRecord } from './records.ts';
import { describeValue, type Refusal, refuseText } from './refusal.ts';
import { INPUT_TOPICS, type InputTopic, inputTopicOf, topicOfKind } from './topics.ts';

/** One line of a record log: a record with where it stood. */
export interface LogLine {
  readonly ok: true;
  /** the topic without its prefix */
  readonly topic: InputTopic;
  /** the Kafka key, where the line gives one */
  readonly key: string | null;
  /** the Kafka timestamp, where the line gives one */
  readonly timestamp: EpochMs | null;
  readonly record: InputRecord;
  /** the record's own time */
  readonly at: EpochMs;
}

/**
 * Reads `{"topic":…,"value":…,"key"?:…,"timestamp"?:…}`. The topic may carry a prefix; the value may be the record or its
 * JSON text; the timestamp is milliseconds since the epoch or an instant. A line may also be the bare record: its kind tells
 * the topic. Total.
 */
export const parseLogLine = (text: string): LogLine | Refusal => {
  const line = readJsonText(text);
  return line.ok ? readLogLine(line.value) : refuseText('', line.error);
};

const readLogLine = (line: Json): LogLine | Refusal => {
  if (!isJsonObject(line))
    return malformed('', `line was ${describeValue('', line)}, should be an object with topic and value`);
  const { topic: name, value, key = null, timestamp: printed = null } = line;
  if (name === undefined && value === undefined && Object.hasOwn(line, 'kind')) return bareRecord(line);
  const topic = typeof name === 'string' ? inputTopicOf(name) : null;
  if (topic === null) {
    return malformed(
      'topic',
      `topic was ${describeValue('topic', name)}, should be one of ${TOPICS_TEXT}, with or without a prefix`,
    );
  }
  if (key !== null && typeof key !== 'string') {
    return malformed('key', `key was ${describeValue('key', key)}, should be a string or left out`);
  }
  const timestamp = printed === null ? null : timestampMs(printed);
  if (Number.isNaN(timestamp)) {
    const was = describeValue('timestamp', printed);
    return malformed(
      'timestamp',
      `timestamp was ${was}, should be milliseconds since 1970, an RFC 3339 instant or left out`,
    );
  }
  if (value === undefined) return malformed('value', 'value was missing, should be the record');
  const content = typeof value === 'string' ? readJsonText(value) : { ok: true as const, value };
  if (!content.ok) return refuseText('value', content.error);
  const parsed = parseInputRecord(content.value, topic);
  if (!parsed.ok) return parsed;
  return { ok: true, topic, key, timestamp, record: parsed.record, at: recordTime(parsed.record) };
};

const bareRecord = (value: Json): LogLine | Refusal => {
  const parsed = parseInputRecord(value);
  if (!parsed.ok) return parsed;
  const { record } = parsed;
  return { ok: true, topic: topicOfKind(record.kind), key: null, timestamp: null, record, at: recordTime(record) };
};

const TOPICS_TEXT = INPUT_TOPICS.join(', ');

const timestampMs = (printed: Json): EpochMs => {
  if (typeof printed === 'string') return instantMs(printed) ?? Number.NaN;
  return typeof printed === 'number' && Number.isSafeInteger(printed) ? printed : Number.NaN;
};

const malformed = (field: string, reason: string): Refusal => ({ ok: false, code: 'RECORD_MALFORMED', reason, field });
