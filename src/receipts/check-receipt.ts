import { type CryptoKey, compactVerify, importJWK } from 'jose';
import { instantMs } from '../evaluator/index.ts';
import { decodeBase64url, splitJws } from './jws.ts';
import { isInForce, type KeySet, type SealingKey } from './key-set.ts';
import { type OpenReceipt, openReceipt } from './open-receipt.ts';
import type { ReceiptProblem } from './problem.ts';

/** What is wrong, without where it was read. */
export type ReceiptFault = Pick<ReceiptProblem, 'code' | 'detail'>;

const imported = new WeakMap<SealingKey, Promise<CryptoKey | Uint8Array>>();

const publicKeyOf = (key: SealingKey): Promise<CryptoKey | Uint8Array> => {
  const { kty, crv, x } = key.record;
  const known = imported.get(key) ?? importJWK({ kty, crv, x }, 'EdDSA');
  imported.set(key, known);
  return known;
};

const isSigned = async (jws: string, key: SealingKey): Promise<boolean> => {
  // Only the one spelling of the signature counts: the library takes others as well.
  if (decodeBase64url(splitJws(jws)?.signature ?? '') === null) return false;
  try {
    await compactVerify(jws, await publicKeyOf(key), { algorithms: ['EdDSA'] });
    return true;
  } catch {
    return false;
  }
};

/** Holds a receipt against the keys: is it signed, by a key that was in force and not revoked when the verdict was decided. */
export const checkReceipt = async (
  { jws, header: { kid }, verdict }: OpenReceipt,
  keys: KeySet,
): Promise<readonly ReceiptFault[]> => {
  const key = keys.find(kid);
  if (key === null) return [{ code: 'RECEIPT_KEY_UNKNOWN', detail: `no key of the key set has the id ${kid}` }];
  if (!(await isSigned(jws, key)))
    return [{ code: 'RECEIPT_SIGNATURE_INVALID', detail: `the signature is not one of key ${kid} over this receipt` }];
  const faults: ReceiptFault[] = [];
  const at = instantMs(verdict.decided_at) ?? Number.NaN;
  const { not_before: from = 'ever', not_after: until = 'ever', revoked_from: revoked } = key.record;
  if (!isInForce(key, at)) {
    const detail = `decided at ${verdict.decided_at}, but key ${kid} is in force from ${from} to ${until}`;
    faults.push({ code: 'RECEIPT_KEY_NOT_VALID', detail });
  }
  if (!(at < key.revokedFrom)) {
    const detail = `decided at ${verdict.decided_at}, and key ${kid} is revoked from ${revoked} on`;
    faults.push({ code: 'RECEIPT_KEY_REVOKED', detail });
  }
  return faults;
};

export type VerifiedReceipt =
  | { readonly ok: true; readonly receipt: OpenReceipt }
  | { readonly ok: false; readonly faults: readonly ReceiptFault[] };

/** Verifies one receipt by itself: its form, its signature, its key. Chains need the receipts around it. Total. */
export const verifyReceipt = async (jws: string, keys: KeySet): Promise<VerifiedReceipt> => {
  const opened = openReceipt(jws);
  if (!opened.ok) return { ok: false, faults: [{ code: 'RECEIPT_MALFORMED', detail: opened.reason }] };
  const faults = await checkReceipt(opened.receipt, keys);
  return faults.length === 0 ? { ok: true, receipt: opened.receipt } : { ok: false, faults };
};
