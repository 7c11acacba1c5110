import type { Json } from '../evaluator/index.ts';
import { type JsonTextError, printJson } from './json-text.ts';

/** Why a record was not read. `reason` names the field, what it was and what it should be. */
export interface Refusal {
  readonly ok: false;
  readonly code: 'RECORD_MALFORMED' | 'RECORD_KIND_WRONG' | 'RECORD_TOO_LARGE' | 'RECORD_KEY_MISMATCH';
  readonly reason: string;
  /** dotted path of the first field that is wrong; empty where it is the record itself */
  readonly field: string;
}

/** Longest text of an offending value that a reason repeats. */
const SHOWN_MAX = 80;

/** Raw bodies hold payers' data and headers hold signatures: of these a reason tells the type alone. */
const PRIVATE_FIELDS =
  /^(headers|body|body_base64|certificates|action\.error\.body|action\.result|input|receipt|authority|request)\b/;

/** What a field was, shortened: for a reason that people read. */
export const describeValue = (field: string, value: Json | undefined): string => {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (PRIVATE_FIELDS.test(field))
    return typeof value === 'string' ? `a string of ${value.length} characters` : `a ${typeof value}`;
  const shown = printJson(typeof value === 'string' ? value.slice(0, SHOWN_MAX) : value);
  return shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX)}…` : shown;
};

/** What a schema has against a field. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** At most this many wrong fields are told at once. */
const ISSUES_MAX = 5;

/** The refusal of a record whose fields are wrong. A schema's message says what the field should be. */
export const refuseFields = (kind: string, value: Json, issues: readonly Issue[]): Refusal => {
  const told = issues.slice(0, ISSUES_MAX).map((issue) => {
    const field = issue.path.join('.');
    return `${field} was ${describeValue(field, valueAt(value, issue.path))}, should be ${issue.message}`;
  });
  if (issues.length > ISSUES_MAX) told.push(`${issues.length - ISSUES_MAX} more fields are wrong`);
  const [first] = issues.map((issue) => issue.path.join('.'));
  return { ok: false, code: 'RECORD_MALFORMED', reason: `${kind}: ${told.join('; ')}`, field: `${first}` };
};

/** The value at a path of fields; undefined where the path leads nowhere. */
const valueAt = (value: Json | undefined, path: readonly PropertyKey[]): Json | undefined => {
  let at: Json | undefined = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<PropertyKey, Json>>)[step];
  }
  return at;
};

/** The refusal of a text that is no JSON value; `field` says where it stands, empty for the record itself. */
export const refuseText = (field: string, error: JsonTextError): Refusal => ({
  ok: false,
  code: error.problem === 'too_large' ? 'RECORD_TOO_LARGE' : 'RECORD_MALFORMED',
  reason: field === '' ? error.message : `${field}: ${error.message}`,
  field,
});
