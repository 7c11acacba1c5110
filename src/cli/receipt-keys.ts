import type { Logger } from 'pino';
import { isInlineKeySet } from '../config/receipts.ts';
import { watchKeyFile } from '../drivers/files/key-file.ts';
import { OperatingError } from '../errors.ts';
import type { Metrics } from '../observability/metrics.ts';
import { systemClock } from '../ports/clock.ts';
import type { ReceiptSealer } from '../ports/receipt-sealer.ts';
import { createReceiptSealer, type KeySet, measuredSealer, parseKeySet, type SealingKey } from '../receipts/index.ts';

const keySource = async (keys: string, logger: Logger): Promise<() => Promise<KeySet>> => {
  if (!isInlineKeySet(keys)) return watchKeyFile(keys, systemClock, (message) => logger.warn(message));
  const set = parseKeySet(keys, 'receipts.keys');
  return async () => set;
};

const tellKeyEnd = ({ receiptKeyEnds }: Metrics, signer: SealingKey | null): void => {
  receiptKeyEnds.reset();
  if (signer !== null) receiptKeyEnds.set({ kid: signer.record.kid }, signer.notAfter / 1000);
};

/**
 * What seals the verdicts of a process; null where no keys are configured. Throws CONFIG_INVALID where they cannot be read, or
 * none of them can seal now.
 *
 * @param log full name of the receipts log
 */
export const openReceiptSealer = async (
  keys: string | undefined,
  log: string,
  logger: Logger,
  metrics: Metrics,
): Promise<ReceiptSealer | null> => {
  if (keys === undefined) return null;
  const read = await keySource(keys, logger);
  // A rotation shows with the next batch that is sealed.
  const source = async (): Promise<KeySet> => {
    const set = await read();
    tellKeyEnd(metrics, set.signerAt(systemClock.now()));
    return set;
  };
  const signer = (await source()).signerAt(systemClock.now());
  if (signer === null) {
    throw new OperatingError(
      'CONFIG_INVALID',
      'receipts.keys: no private key of the set is in force now; `countersign keys list` shows their periods',
    );
  }
  logger.info({ kid: signer.record.kid, log }, 'verdicts are sealed');
  return measuredSealer(createReceiptSealer(log, source), metrics);
};
