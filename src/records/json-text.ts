import type { Json } from '../evaluator/index.ts';
import { restoreDigits } from './exact-json.ts';
import { holdsDigitRun, nestsDeeperThan } from './json-scan.ts';

/** Longest JSON text that is read, in UTF-16 units. A provider's largest answer is a page of some hundred kilobytes. */
export const MAX_JSON_LENGTH = 4 * 1024 * 1024;

/** Deepest nesting that is read: everything behind the parser may recurse. */
export const MAX_JSON_DEPTH = 64;

/** Why a text is no JSON value for us. The message never repeats the text: it may hold a payer's data. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
  readonly problem: 'too_large' | 'too_deep' | 'not_json' | 'not_unicode';

  constructor(problem: JsonTextError['problem'], message: string) {
    super(message);
    this.problem = problem;
  }
}

/** A long number where one can stand: not behind the escaped quote of a JSON text inside a string. */
const LONG_NUMBER = /(?:^|[^\\]"\s*:|[,[])\s*-?\d[\d.]{15}/;
/** An exponent of three digits: the value may lie outside what a double holds. */
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;
const HALF_PAIR = /\p{Surrogate}/u;

export type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly error: JsonTextError };

/**
 * Reads JSON text without losing a digit: an integer of more than 15 digits becomes a `bigint`, any other number that a
 * double cannot hold becomes its own text (a string is never equal to a number). All else is `JSON.parse`, and nearly as
 * fast. Refused: a text that is too long, nested too deep, not JSON, or holds half a surrogate pair (RFC 7493). Total.
 */
export const readJsonText = (text: string): ReadJson => {
  if (text.length > MAX_JSON_LENGTH) {
    return refuse('too_large', `the JSON text has ${text.length} characters, at most ${MAX_JSON_LENGTH} are read`);
  }
  if (mayNestTooDeep(text) && nestsDeeperThan(text, MAX_JSON_DEPTH)) {
    return refuse('too_deep', `the JSON text is nested more than ${MAX_JSON_DEPTH} deep`);
  }
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse('not_json', `not JSON: ${positionOf(error, text)}`);
  }
  if ((holdsDigitRun(text, 16) && LONG_NUMBER.test(text)) || LONG_EXPONENT.test(text))
    value = restoreDigits(text, value);
  if (SURROGATE_ESCAPE.test(text) && !isUnicode(value)) {
    return refuse('not_unicode', 'the JSON text escapes half a surrogate pair, which no UTF-8 text can hold');
  }
  return { ok: true, value };
};

const refuse = (problem: JsonTextError['problem'], message: string): ReadJson => ({
  ok: false,
  error: new JsonTextError(problem, message),
});

/**
 * As `readJsonText`, for a caller that has nothing else to do with a bad text.
 *
 * @throws {JsonTextError}
 */
export const parseJsonText = (text: string): Json => {
  const read = readJsonText(text);
  if (!read.ok) throw read.error;
  return read.value;
};

/** Prints a JSON value; a `bigint` is printed as a number with all its digits. */
export const printJson = (value: Json): string => {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify refuses a bigint and nothing else that a Json value can hold.
    return printExact(value);
  }
};

const printExact = (value: Json): string => {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(printExact).join(',')}]`;
  // As JSON.stringify does, a field that is undefined is left out.
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${printExact(item)}`).join(',')}}`;
};

/** Counts opening brackets up to the bound: most texts have fewer, and two native searches say so. */
const mayNestTooDeep = (text: string): boolean => {
  let opened = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > MAX_JSON_DEPTH) return true;
    }
  }
  return false;
};

const isUnicode = (value: Json): boolean => {
  if (typeof value === 'string') return !HALF_PAIR.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isUnicode);
  return Object.entries(value).every(([key, item]) => !HALF_PAIR.test(key) && isUnicode(item));
};

/** Where the text stops being JSON. V8's own message quotes the text; only its position is kept. */
const positionOf = (error: unknown, text: string): string => {
  if (text.trim() === '') return 'the text is empty';
  const message = String(error);
  const position = /position \d+/.exec(message)?.[0];
  if (position !== undefined) return `unexpected character at ${position}`;
  return message.includes('end of JSON') ? 'the text ends too early' : 'unexpected character';
};
