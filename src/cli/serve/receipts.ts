import type { Logger } from 'pino';
import { openReceiptFile } from '../../drivers/files/receipt-file.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { ReceiptSealer } from '../../ports/receipt-sealer.ts';
import type { ReceiptStore } from '../../ports/receipt-store.ts';
import { RECEIPTS_TOPIC } from '../../records/topics.ts';
import { openReceiptSealer } from '../receipt-keys.ts';
import type { DataFolder } from './data-folder.ts';

export interface FolderReceipts {
  readonly sealer: ReceiptSealer;
  readonly store: ReceiptStore & { close(): void };
}

/** What seals a data folder's verdicts, and its file of receipts; null where no keys are configured. Throws CONFIG_INVALID. */
export const openFolderReceipts = async (
  folder: DataFolder,
  keys: string | undefined,
  logger: Logger,
  metrics: Metrics,
): Promise<FolderReceipts | null> => {
  const sealer = await openReceiptSealer(keys, RECEIPTS_TOPIC, logger, metrics);
  return sealer === null ? null : { sealer, store: await openReceiptFile(folder.receipts, sealer) };
};
