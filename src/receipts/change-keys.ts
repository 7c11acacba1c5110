import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { isInForce, type KeyRecord, KeySet } from './key-set.ts';

/** Instants of a key, as the key set has them. */
type KeyPeriod = Pick<KeyRecord, 'not_before' | 'not_after'>;

/** A fresh Ed25519 key. Its id is its thumbprint (RFC 7638): the same key has the same id everywhere. */
export const generateKey = async (period: KeyPeriod = {}): Promise<KeyRecord> => {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
  return { kty: 'OKP', crv: 'Ed25519', x, d, kid, ...period };
};

/**
 * The keys with another to seal with from an instant on; what sealed until then ends there, and stays to check with.
 *
 * @param at RFC 3339; must lie ahead: what is sealed by then with the old key could not be checked otherwise
 */
export const rotateKeys = async (keys: readonly KeyRecord[], at: string): Promise<readonly KeyRecord[]> => {
  const ms = Date.parse(at);
  const ended = new KeySet(keys).keys.map((key) =>
    key.record.revoked_from === undefined && isInForce(key, ms) ? { ...key.record, not_after: at } : key.record,
  );
  return [...ended, await generateKey({ not_before: at })];
};

/**
 * The keys with one of them revoked from an instant on, and another for the same period: something decided then may still have
 * to be sealed. Null where no key has the id.
 *
 * @param from RFC 3339; may lie behind: since when others may have had it
 */
export const revokeKey = async (
  keys: readonly KeyRecord[],
  kid: string,
  from: string,
): Promise<readonly KeyRecord[] | null> => {
  const lost = keys.find((key) => key.kid === kid);
  if (lost === undefined) return null;
  const { not_before: begins, not_after: ends } = lost;
  const another = await generateKey({
    ...(begins === undefined ? {} : { not_before: begins }),
    ...(ends === undefined ? {} : { not_after: ends }),
  });
  return [...keys.map((key) => (key === lost ? { ...key, revoked_from: from } : key)), another];
};
