import type { EpochMs, Json, JsonObject } from '../evaluator/index.ts';
import { isJsonObject } from '../evaluator/index.ts';
import type { HttpAnswer, HttpCall } from '../ports/provider-http.ts';
import type { ReadError, ReadErrorKind, ReadOutcome, ReadRequest } from '../ports/provider-reader.ts';
import { readJsonText } from '../records/json-text.ts';
import type { Answer } from './adapter.ts';
import { retryAfterMs } from './retry-after.ts';

/** Makes a call of an account's API; never rejects. */
export type SendCall = (call: HttpCall) => Promise<HttpAnswer>;

/** What a provider's reader works with for one read. */
export interface ReadTools {
  readonly send: SendCall;
  readonly now: () => EpochMs;
}

/** An answer of HTTP 200 whose body is a JSON object. */
export interface ApiBody {
  readonly outcome: 'body';
  readonly status: number;
  readonly body: JsonObject;
  /** the body as it came */
  readonly text: string;
}

export type ApiAnswer = ApiBody | Exclude<ReadOutcome, { outcome: 'ok' }>;

export const readError = (
  kind: ReadErrorKind,
  message: string,
  httpStatus: number | null = null,
  retryAfter: number | null = null,
): ReadError => ({ outcome: 'error', kind, message, httpStatus, retryAfterMs: retryAfter });

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;
const CODE = /^[A-Za-z0-9_.-]{1,64}$/;

const utf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

const parsed = (bytes: Uint8Array): { text: string; body: Json } | string => {
  const text = utf8(bytes);
  if (text === null) return 'its body is not UTF-8';
  const read = readJsonText(text);
  return read.ok ? { text, body: read.value } : 'its body is not JSON that can be read';
};

const kindOf = (status: number): ReadErrorKind => {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status === 408) return 'timeout';
  // A redirect is never followed, and an informational or empty success is no answer.
  return status >= 400 ? 'server' : 'malformed';
};

type Answered = Extract<HttpAnswer, { outcome: 'answered' }>;

/** The provider's own code, only where it looks like one: an error body may quote a credential. */
const codeIn = (answer: Answered, errorCode: (body: Json) => string | null): string => {
  const read = parsed(answer.body);
  const code = typeof read === 'string' ? null : errorCode(read.body);
  return code !== null && CODE.test(code) ? ` ${code}` : '';
};

/** Whether a 404 is the provider's word: its JSON, or nothing. A page of HTML is somebody's on the way. */
const isOwnAbsence = (answer: Answered): boolean => {
  if (answer.body.byteLength === 0) return true;
  const read = parsed(answer.body);
  return typeof read !== 'string' && isJsonObject(read.body);
};

/**
 * An answer as every provider's has it: 200 with a JSON object, 404 for what is not there, and errors by their status. All
 * else is malformed.
 *
 * @param errorCode the provider's short code in an error body
 */
export const apiAnswer = (answer: HttpAnswer, now: EpochMs, errorCode: (body: Json) => string | null): ApiAnswer => {
  if (answer.outcome === 'failed') return readError(answer.kind, answer.message);
  const { status, headers } = answer;
  if (status === 200) {
    if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
      return readError('malformed', 'HTTP 200: its content type is not JSON', status);
    }
    const read = parsed(answer.body);
    if (typeof read === 'string') return readError('malformed', `HTTP 200: ${read}`, status);
    if (!isJsonObject(read.body)) return readError('malformed', 'HTTP 200: its body is not a JSON object', status);
    return { outcome: 'body', status, body: read.body, text: read.text };
  }
  if (status === 404) {
    if (isOwnAbsence(answer)) return { outcome: 'absent', httpStatus: status };
    return readError(
      'malformed',
      'HTTP 404: its body is not JSON, so it may not be the provider that answered',
      status,
    );
  }
  const wait = retryAfterMs(headers['retry-after'], now);
  return readError(kindOf(status), `HTTP ${status}${codeIn(answer, errorCode)}`, status, wait);
};

/** Performs one read of an account: a call, or the several that make up one answer. Never rejects on what a provider does. */
export type ReadApi = (request: ReadRequest, tools: ReadTools) => Promise<ReadOutcome>;

/**
 * An answer as it may be published: what the provider's own adapter would refuse at admission would never be applied, so it
 * is told here, as an error, and read again.
 */
export const understood = (answer: Answer, status: number, text: string): ReadOutcome => {
  switch (answer.outcome) {
    case 'refund':
    case 'list':
      return { outcome: 'ok', httpStatus: status, body: text };
    case 'absent':
      return { outcome: 'absent', httpStatus: status };
    case 'error':
      return readError(kindNamed(answer.kind), `HTTP ${status} with an error inside`, status);
    case 'refused':
      return readError('malformed', answer.reason, status);
  }
};

const KINDS: readonly ReadErrorKind[] = ['timeout', 'network', 'server', 'rate_limited', 'auth', 'malformed'];
const kindNamed = (kind: string): ReadErrorKind => KINDS.find((known) => known === kind) ?? 'server';

/** The answer is about another resource than was asked for. Neither id is repeated: only that they differ. */
export const otherResource = (field: string, status: number): ReadError =>
  readError('malformed', `${field}: is not the id that was asked for`, status);

/** The read itself cannot be made. */
export const unreadable = (field: string, shouldBe: string): ReadError =>
  readError('malformed', `${field}: should be ${shouldBe}; nothing was asked`);
