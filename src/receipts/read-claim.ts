import { isJsonObject, type JsonObject, type VerdictRecord } from '../evaluator/index.ts';
import { readJsonText } from '../records/json-text.ts';
import { INPUT_SCHEMAS } from '../records/records.ts';
import { parseVerdictRecord } from '../records/verdict-record.ts';

/**
 * What a line claims to hold.
 * - `jws`: an attached receipt.
 * - `record`: a verdict record, with its receipt detached or none.
 * - `renamed`: a verdict record whose `kind` is another or is gone: as one it would be passed over.
 * - `other`: a record of another kind, as logs hold them.
 * - `neither`: nothing that is known.
 */
export type Claim =
  | { readonly form: 'jws'; readonly jws: string }
  | { readonly form: 'record'; readonly record: VerdictRecord }
  | { readonly form: 'renamed'; readonly record: VerdictRecord }
  | { readonly form: 'other' }
  | { readonly form: 'neither'; readonly reason: string; readonly verdictId: string | null };

const neither = (reason: string, verdictId: unknown = null): Claim => ({
  form: 'neither',
  reason,
  verdictId: typeof verdictId === 'string' ? verdictId : null,
});

/** No other record has these; by its kind alone a changed record could be hidden. */
const isVerdict = ({ kind, verdict_id: id, receipt }: JsonObject): boolean =>
  kind === 'verdict' || id !== undefined || isJsonObject(receipt);

const fromVerdict = (object: JsonObject): Claim => {
  const parsed = parseVerdictRecord({ ...object, kind: 'verdict' });
  if (!parsed.ok) return neither(parsed.reason, object['verdict_id']);
  const record = object as unknown as VerdictRecord;
  return { form: object['kind'] === 'verdict' ? 'record' : 'renamed', record };
};

const fromObject = (object: JsonObject): Claim => {
  if (isVerdict(object)) return fromVerdict(object);
  const { kind, value, jws, protected: header, payload, signature } = object;
  if (typeof kind === 'string' && (Object.hasOwn(INPUT_SCHEMAS, kind) || kind === 'handoff.decided'))
    return { form: 'other' };
  // A log line: the record stands in `value`.
  if (kind === undefined && typeof value === 'string') return fromText(value);
  if (kind === undefined && isJsonObject(value)) return fromObject(value);
  if (typeof jws === 'string') return { form: 'jws', jws };
  // The flattened JSON serialisation of RFC 7515.
  if (typeof header === 'string' && typeof payload === 'string' && typeof signature === 'string')
    return { form: 'jws', jws: `${header}.${payload}.${signature}` };
  return neither('it is neither a verdict record nor a receipt');
};

const fromText = (text: string): Claim => {
  if (!text.startsWith('{')) return { form: 'jws', jws: text };
  const read = readJsonText(text);
  if (!read.ok) return neither(read.error.message);
  return isJsonObject(read.value) ? fromObject(read.value) : neither('it is no JSON object');
};

/**
 * Reads a line of a file: a compact JWS, a verdict record, a log line `{"topic":…,"value":…}` with either, or a JWS in
 * flattened JSON. Total.
 */
export const readClaim = (line: string): Claim => fromText(line.trim());
