import type { EmbeddedInput } from '../../drivers/memory/journal-entry.ts';
import { isJsonObject, type Json } from '../../evaluator/index.ts';
import { printJson, readJsonText } from '../../records/json-text.ts';
import { parseInputRecord } from '../../records/parse.ts';
import { INPUT_SCHEMAS, type InputKind, type InputRecord } from '../../records/records.ts';
import { type Refusal, refuseText } from '../../records/refusal.ts';
import { inputTopicOf, topicOfKind } from '../../records/topics.ts';

/** One text that came in, as a record for the pipeline. */
export interface ReadRecord {
  readonly ok: true;
  readonly input: EmbeddedInput;
  readonly record: InputRecord;
}

const KINDS = Object.keys(INPUT_SCHEMAS) as InputKind[];

const malformed = (field: string, reason: string): Refusal => ({ ok: false, code: 'RECORD_MALFORMED', reason, field });

const topicFor = (value: Json): ReturnType<typeof topicOfKind> | null => {
  if (!isJsonObject(value)) return null;
  const kind = KINDS.find((known) => known === value['kind']);
  return kind === undefined ? null : topicOfKind(kind);
};

const fromLogLine = (line: { readonly [field: string]: Json }): ReadRecord | Refusal => {
  const topic = typeof line['topic'] === 'string' ? inputTopicOf(line['topic']) : null;
  if (topic === null) return malformed('topic', 'topic was none of ours, should name an input topic');
  const { value = null, key = null } = line;
  const content = typeof value === 'string' ? readJsonText(value) : { ok: true as const, value };
  if (!content.ok) return refuseText('value', content.error);
  const parsed = parseInputRecord(content.value, topic);
  if (!parsed.ok) return parsed;
  const text = typeof value === 'string' ? value : printJson(value);
  return {
    ok: true,
    record: parsed.record,
    input: { topic, value: text, key: typeof key === 'string' ? key : null },
  };
};

/**
 * Reads a text as an input record: the record itself (`{"kind":…}`), whose kind says its topic, or a line of a record log
 * (`{"topic":…,"value":…}`). Total; a refusal names the field.
 */
export const readRecord = (text: string): ReadRecord | Refusal => {
  const read = readJsonText(text);
  if (!read.ok) return refuseText('', read.error);
  const { value } = read;
  if (isJsonObject(value) && value['kind'] === undefined && value['topic'] !== undefined) return fromLogLine(value);
  const topic = topicFor(value);
  if (topic === null) {
    const was = isJsonObject(value) ? JSON.stringify(value['kind'] ?? null).slice(0, 80) : 'not an object';
    return malformed('kind', `kind was ${was}, should be one of ${KINDS.join(', ')}`);
  }
  const parsed = parseInputRecord(value, topic);
  return parsed.ok ? { ok: true, record: parsed.record, input: { topic, value: text } } : parsed;
};
