import { instantMs, isJsonObject, type Json, type JsonObject } from '../evaluator/index.ts';
import type { InputKind } from './records.ts';

/*
 * The schemas are what a record must be. This says yes, in a fifth of their time, to the usual record alone: whatever it says
 * no to (another field, another script, an error, a mistake) is the schemas' to judge. A test holds that they agree.
 */

type Check = (value: Json | undefined) => boolean;
type Fields = readonly (readonly [field: string, check: Check])[];

const ASCII_ID = /^[ -~]{1,255}$/;
const ACCOUNT = /^[A-Za-z0-9._-]{1,128}$/;

const isId: Check = (value) => typeof value === 'string' && ASCII_ID.test(value);
const isAccount: Check = (value) => typeof value === 'string' && ACCOUNT.test(value);
const isOneOf =
  (words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);
const isProvider = isOneOf(['paypal', 'square', 'shopify', 'stripe']);
const isPurpose = isOneOf(['poll', 'event', 'deadline', 'candidate', 'list']);
const isInstant: Check = (value) => typeof value === 'string' && instantMs(value) !== null;
const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isHttpStatus: Check = (value) => isCount(value) && (value as number) >= 100 && (value as number) <= 599;
const isNothing: Check = (value) => value === undefined || value === null;
const isOk: Check = (value) => value === 'ok';
const maybe =
  (check: Check): Check =>
  (value) =>
    isNothing(value) || check(value);

const hold = (value: JsonObject, fields: Fields): boolean => {
  for (const [field, check] of fields) if (!check(value[field])) return false;
  return true;
};

const object =
  (fields: Fields): Check =>
  (value) =>
    isJsonObject(value) && hold(value, fields);

/** A plain object of texts, without a name that would set a prototype. */
const isHeaders: Check = (value) => {
  if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const name of Object.keys(value)) if (name === '__proto__' || typeof value[name] !== 'string') return false;
  return true;
};

const isAction = object([
  ['result', isJsonObject],
  ['error', isNothing],
  ['completed_at', isInstant],
]);

const OF_ALL: Fields = [
  ['provider', isProvider],
  ['account', isAccount],
];

const FIELDS: { readonly [Kind in InputKind]?: Fields } = {
  'operation.started': [
    ...OF_ALL,
    ['operation_id', isId],
    [
      'contract',
      object([
        ['id', isId],
        ['version', maybe(isId)],
      ]),
    ],
    ['created_at', isInstant],
    ['idempotency_key', maybe(isId)],
    ['input', isJsonObject],
    ['action', maybe(isAction)],
    ['handoff', maybe(isId)],
    ['observe_from', maybe(isInstant)],
  ],
  'operation.acted': [...OF_ALL, ['operation_id', isId], ['payment_id', isId], ['action', isAction]],
  'webhook.received': [
    ...OF_ALL,
    ['endpoint', isId],
    ['headers', isHeaders],
    ['body', isText],
    ['body_base64', isNothing],
    ['received_at', isInstant],
    ['certificates', maybe(isText)],
  ],
  'readback.result': [
    ...OF_ALL,
    ['operation_id', isId],
    ['payment_id', isId],
    ['channel', isId],
    ['purpose', maybe(isPurpose)],
    ['resource_id', maybe(isId)],
    ['attempt', maybe(isCount)],
    ['requested_at', maybe(isInstant)],
    ['observed_at', isInstant],
    ['outcome', isOk],
    ['http_status', maybe(isHttpStatus)],
    ['body', isText],
    ['error', isNothing],
  ],
};

/** Whether a value of this kind is surely what its schema asks for. */
export const isPlainlyValid = (kind: InputKind, value: JsonObject): boolean => {
  const fields = FIELDS[kind];
  return fields !== undefined && hold(value, fields);
};
