import type { HandoffRefusal, Json } from '../evaluator/index.ts';
import { type RefusalCode, refusal } from './refusals.ts';

/** What a request may say. Everything else is refused by name: what Countersign finds out itself nobody may tell it. */
const ACCEPTED = new Set([
  'kind',
  'provider',
  'account',
  'payment_id',
  'charge_ref',
  'amount',
  'currency',
  'reason',
  'rail',
  'counterparty',
  'authority',
  'requested_at',
]);

/** Names as they are compared: without case and punctuation, so that no spelling slips through. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const KINDS: readonly (readonly [RefusalCode, RegExp, string])[] = [
  ['caller_supplied_idempotency', /idempoten|seed/, 'the key is derived from receipt, authority and request'],
  [
    'caller_supplied_verified',
    /^(is)?(verified|valid|proven|trusted|approved)/,
    'a claim of the caller has no authority',
  ],
  ['caller_supplied_seal', /^(is)?seal|signature|^signed|^jws$/, 'seals are checked here, never taken from the caller'],
  ['caller_supplied_total', /total|remaining|ceiling|refunded|prior|balance/, 'what was given back is found out here'],
  ['caller_supplied_receipt', /receipt|charge|proof|settle/, 'the receipt is found by charge_ref alone'],
];

const refusalOf = (path: string, name: string): HandoffRefusal => {
  const [code, , why] = KINDS.find(([, pattern]) => pattern.test(plain(name))) ?? [
    'field_not_accepted' as const,
    null,
    'a request has these fields alone',
  ];
  return refusal(code, path, `no such field: ${why}`);
};

const DEPTH_MAX = 16;
const FOUND_MAX = 20;

/** Every field at any depth that a caller may not supply. */
const within = (value: Json, path: string, depth: number, found: HandoffRefusal[]): void => {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX || found.length >= FOUND_MAX) return;
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Json[]).entries())
      within(item, `${path}[${index}]`, depth + 1, found);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    if (found.length >= FOUND_MAX) return;
    const at = `${path}.${name}`;
    const one = refusalOf(at, name);
    // Below a field that is refused itself only what is forbidden by name is worth telling.
    if (one.code !== 'field_not_accepted') found.push(one);
    within(item, at, depth + 1, found);
  }
};

/** What a request says that nobody may tell us. */
export const forbiddenFields = (request: object): HandoffRefusal[] => {
  const found: HandoffRefusal[] = [];
  for (const [name, value] of Object.entries(request as Readonly<Record<string, Json>>)) {
    if (!ACCEPTED.has(name)) found.push(refusalOf(name, name));
    within(value, name, 1, found);
  }
  return found;
};
