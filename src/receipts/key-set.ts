import { z } from 'zod';
import { OperatingError } from '../errors.ts';
import { instantMs } from '../evaluator/index.ts';
import { decodeBase64url } from './jws.ts';

const KEY_BYTES = 32;
const isKeyText = (text: string): boolean => decodeBase64url(text)?.length === KEY_BYTES;
const keyText = z.string().refine(isKeyText, '32 bytes in base64url');
const instant = z.string().refine((text) => instantMs(text) !== null, 'an RFC 3339 instant with an offset');

const key = z.object({
  kty: z.literal('OKP', 'OKP'),
  crv: z.literal('Ed25519', 'Ed25519'),
  x: keyText,
  /** the private part; not in a public key set */
  d: keyText.optional(),
  kid: z.string().min(1).max(128),
  /** the instants between which it seals: from the one (included) to the other (not included); without: for ever */
  not_before: instant.optional(),
  not_after: instant.optional(),
  /** it was lost: what is decided at or after this instant, it proves nothing of */
  revoked_from: instant.optional(),
});

const keySet = z.object({ keys: z.array(key) });

/** A key as it stands in a key set: a JWK with our three instants. */
export type KeyRecord = z.output<typeof key>;

/** A key of a key set, with its instants in milliseconds. */
export interface SealingKey {
  readonly record: KeyRecord;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly revokedFrom: number;
}

const read = (record: KeyRecord): SealingKey => ({
  record,
  notBefore: instantMs(record.not_before ?? '') ?? Number.NEGATIVE_INFINITY,
  notAfter: instantMs(record.not_after ?? '') ?? Number.POSITIVE_INFINITY,
  revokedFrom: instantMs(record.revoked_from ?? '') ?? Number.POSITIVE_INFINITY,
});

export const isInForce = ({ notBefore, notAfter }: SealingKey, at: number): boolean => at >= notBefore && at < notAfter;

/** A JWKS of Ed25519 keys: the private one of a process that seals, or the public one of whoever checks. */
export class KeySet {
  readonly keys: readonly SealingKey[];
  readonly #byId: ReadonlyMap<string, SealingKey>;

  constructor(records: readonly KeyRecord[]) {
    this.keys = records.map(read);
    this.#byId = new Map(this.keys.map((one) => [one.record.kid, one]));
  }

  find(kid: string): SealingKey | null {
    return this.#byId.get(kid) ?? null;
  }

  /**
   * The key that seals what is decided at `at`: of those in force then, never revoked, with a private part, the one that
   * came into force last. So the same verdict is sealed with the same key whenever that is done.
   */
  signerAt(at: number): SealingKey | null {
    let found: SealingKey | null = null;
    for (const one of this.keys) {
      if (one.record.d === undefined || one.record.revoked_from !== undefined || !isInForce(one, at)) continue;
      if (found === null || one.notBefore >= found.notBefore) found = one;
    }
    return found;
  }
}

const problemsOf = (records: readonly KeyRecord[]): string[] => {
  const kids = new Set<string>();
  return records.flatMap(({ kid, not_before: from, not_after: until }, index) => {
    const problems: string[] = [];
    if (kids.has(kid)) problems.push(`keys[${index}].kid: was "${kid}", which an earlier key has; should be its own`);
    kids.add(kid);
    if (from !== undefined && until !== undefined && Number(instantMs(until)) < Number(instantMs(from)))
      problems.push(`keys[${index}].not_after: was ${until}, should not lie before not_before (${from})`);
    return problems;
  });
};

/**
 * Reads a key set. What is wrong is told by field, without its value: it may be a private key.
 *
 * @param source what the text came from, for the error
 * @throws OperatingError CONFIG_INVALID
 */
export const parseKeySet = (text: string, source: string): KeySet => {
  const refuse = (problems: readonly string[]): never => {
    throw new OperatingError('CONFIG_INVALID', `the key set ${source} is not right: ${problems.join('; ')}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(['it should be JSON: {"keys": […]}, as `countersign keys generate` makes it']);
  }
  const parsed = keySet.safeParse(value);
  if (!parsed.success)
    return refuse(parsed.error.issues.map(({ path, message }) => `${pathText(path)}: should be ${message}`));
  const problems = problemsOf(parsed.data.keys);
  return problems.length > 0 ? refuse(problems) : new KeySet(parsed.data.keys);
};

const pathText = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? 'it'
    : path.reduce<string>(
        (text, part) =>
          typeof part === 'number' ? `${text}[${part}]` : `${text}${text === '' ? '' : '.'}${String(part)}`,
        '',
      );

/** The public key set: what checks receipts, and cannot make one. */
export const publicKeys = (keys: readonly KeyRecord[]): { readonly keys: readonly Omit<KeyRecord, 'd'>[] } => ({
  keys: keys.map(({ d: _, ...rest }) => ({ ...rest, alg: 'EdDSA', use: 'sig' })),
});
