import { createHmac, timingSafeEqual } from 'node:crypto';
import { type EpochMs, instantMs } from '../evaluator/index.ts';
import type { InputTopic } from './topics.ts';

/** Carries `<key id>:<base64 HMAC-SHA256 over the record's value>`. */
export const SEAL_HEADER = 'countersign-seal';

/** A key that seals. `from` and `to` (instants) bound when it is good; without them it always is. */
export interface SealKey {
  /** without colons */
  readonly id: string;
  readonly secret: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** `accept` checks a seal where there is one, `required` refuses a record without. */
export type SealMode = 'off' | 'accept' | 'required';

/** The topics that only our own write: gateway, readback worker, reviewer and consumer seal; payment services and issuers do not. */
const SEALED_TOPICS: readonly InputTopic[] = [
  'webhook-received',
  'readback-result',
  'review-decided',
  'handoff-requested',
  'handoff-bound',
];

export interface SealRefusal {
  readonly code: 'SEAL_MISSING' | 'SEAL_INVALID';
  readonly reason: string;
}

/** Why a record's seal does not hold; null where it holds or none is asked for. `at` is the record's timestamp. */
export type CheckSeal = (
  topic: InputTopic,
  value: Uint8Array,
  header: string | undefined,
  at: EpochMs,
) => SealRefusal | null;

/** The header's value for a record's bytes, exactly as they are sent. */
export const sealValue = (value: Uint8Array, key: SealKey): string =>
  `${key.id}:${hmac(value, key.secret).toString('base64')}`;

const hmac = (value: Uint8Array, secret: string): Buffer => createHmac('sha256', secret).update(value).digest();

/** The check that a process makes of every record, by the keys it knows. Reasons never hold a secret or a seal. */
export const createSealCheck = (mode: SealMode, keys: readonly SealKey[]): CheckSeal => {
  const byId = new Map(keys.map((key) => [key.id, { secret: key.secret, ...periodOf(key) }]));
  return (topic, value, header, at) => {
    if (mode === 'off' || !SEALED_TOPICS.includes(topic)) return null;
    if (header === undefined) {
      if (mode === 'accept') return null;
      return { code: 'SEAL_MISSING', reason: `header ${SEAL_HEADER} was missing, should seal a record of ${topic}` };
    }
    const colon = header.indexOf(':');
    if (colon < 1) return invalid('was no seal, should be <key id>:<base64>');
    const id = header.slice(0, colon);
    const key = byId.get(id);
    if (key === undefined)
      return invalid(`names key ${JSON.stringify(id.slice(0, 80))}, should name one of the configured keys`);
    if (at < key.fromMs || at >= key.toMs)
      return invalid(`names key ${JSON.stringify(id)}, which was not valid when the record was written`);
    const given = Buffer.from(header.slice(colon + 1), 'base64');
    const expected = hmac(value, key.secret);
    if (given.length === expected.length && timingSafeEqual(given, expected)) return null;
    return invalid(
      `does not seal this value with key ${JSON.stringify(id)}: the value was changed or the secret differs`,
    );
  };
};

const invalid = (what: string): SealRefusal => ({ code: 'SEAL_INVALID', reason: `header ${SEAL_HEADER} ${what}` });

const periodOf = (key: SealKey): { readonly fromMs: EpochMs; readonly toMs: EpochMs } => ({
  fromMs: boundOf(key.from, Number.NEGATIVE_INFINITY, `seal key ${key.id}: from`),
  toMs: boundOf(key.to, Number.POSITIVE_INFINITY, `seal key ${key.id}: to`),
});

const boundOf = (printed: string | undefined, open: number, name: string): EpochMs => {
  if (printed === undefined) return open;
  const at = instantMs(printed);
  if (at === null) throw new TypeError(`${name} must be an RFC 3339 instant`);
  return at;
};
