import { isJsonObject, type Json } from '../evaluator/index.ts';
import { isPlainlyValid } from './plainly-valid.ts';
import { INPUT_SCHEMAS, type InputKind, type InputRecord } from './records.ts';
import { describeValue, type Refusal, refuseFields } from './refusal.ts';
import { INPUT_TOPIC_KINDS, type InputTopic } from './topics.ts';

export type ParsedInput = { readonly ok: true; readonly record: InputRecord } | Refusal;

const isInputKind = (kind: string): kind is InputKind => Object.hasOwn(INPUT_SCHEMAS, kind);

/**
 * Reads a parsed JSON value as an input record. Total: bad input is an answer, never an exception. With a topic, a kind that
 * the topic may not carry is RECORD_KIND_WRONG.
 */
export const parseInputRecord = (value: Json, topic?: InputTopic): ParsedInput => {
  if (!isJsonObject(value)) return malformed('', `record was ${describeValue('', value)}, should be a JSON object`);
  const kind = Object.hasOwn(value, 'kind') ? value['kind'] : undefined;
  const kinds: readonly InputKind[] = topic === undefined ? ALL_KINDS : INPUT_TOPIC_KINDS[topic];
  if (typeof kind !== 'string') {
    return malformed('kind', `kind was ${describeValue('kind', kind)}, should be ${kinds.join(' or ')}`);
  }
  if (!isInputKind(kind) || !kinds.includes(kind)) {
    const where = topic === undefined ? '' : ` on topic ${topic}`;
    const reason = `kind was ${describeValue('kind', kind)}, should be ${kinds.join(' or ')}${where}`;
    return { ok: false, code: 'RECORD_KIND_WRONG', reason, field: 'kind' };
  }
  if (isPlainlyValid(kind, value)) return { ok: true, record: value as unknown as InputRecord };
  const parsed = INPUT_SCHEMAS[kind].safeParse(value);
  // The schemas change nothing, so the value itself is the record: unknown fields are kept, and no copy is made.
  if (parsed.success) return { ok: true, record: value as unknown as InputRecord };
  return refuseFields(kind, value, parsed.error.issues);
};

const ALL_KINDS = Object.keys(INPUT_SCHEMAS).filter(isInputKind);

const malformed = (field: string, reason: string): Refusal => ({ ok: false, code: 'RECORD_MALFORMED', reason, field });
