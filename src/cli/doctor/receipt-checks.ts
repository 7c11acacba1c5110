import { statSync } from 'node:fs';
import { isInlineKeySet } from '../../config/receipts.ts';
import { readKeyFile } from '../../drivers/files/key-file.ts';
import { OperatingError } from '../../errors.ts';
import { type KeySet, parseKeySet } from '../../receipts/index.ts';
import { type Check, checksOf } from './check.ts';

const { ok, warn, fail } = checksOf('receipts');

/** A key that ends sooner than this, with none to follow, is told of. */
const AHEAD_MS = 30 * 86_400_000;

const checkPeriods = (keys: KeySet, now: number): Check[] => {
  const signer = keys.signerAt(now);
  if (signer === null) {
    return [
      fail(
        'no private key of receipts.keys is in force now: no shard would publish a terminal verdict',
        'See `countersign keys list`; `countersign keys rotate` adds a key.',
      ),
    ];
  }
  const sealing = ok(`verdicts are sealed with key ${signer.record.kid}`);
  if (keys.signerAt(now + AHEAD_MS) !== null) return [sealing];
  return [
    sealing,
    warn(
      `key ${signer.record.kid} ends within 30 days, and none follows it`,
      'Rotate ahead: `countersign keys rotate … --at …`.',
    ),
  ];
};

const checkMode = (path: string): Check[] =>
  (statSync(path).mode & 0o077) === 0
    ? []
    : [warn(`the key file ${path} can be read by others than its owner`, `chmod 600 ${path}`)];

/** Whether what seals verdicts is there, for its owner alone, and will be there tomorrow. */
export const checkReceiptKeys = (keys: string | undefined, now: number): Check[] => {
  if (keys === undefined) return [ok('receipts.keys is not set: verdicts are not sealed')];
  try {
    if (isInlineKeySet(keys)) return checkPeriods(parseKeySet(keys, 'receipts.keys'), now);
    return [...checkPeriods(readKeyFile(keys), now), ...checkMode(keys)];
  } catch (error) {
    if (!(error instanceof OperatingError)) throw error;
    return [
      fail(error.message, 'Mend receipts.keys (COUNTERSIGN_RECEIPTS_KEYS); `countersign keys generate` makes one.'),
    ];
  }
};
