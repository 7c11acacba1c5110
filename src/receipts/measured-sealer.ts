import { OperatingError } from '../errors.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ReceiptSealer } from '../ports/receipt-sealer.ts';

/** Counts what a sealer seals, and each time that it cannot by the error's code. */
export const measuredSealer = (sealer: ReceiptSealer, metrics: Pick<Metrics, 'receipts'>): ReceiptSealer => ({
  ...sealer,
  seal: async (...given) => {
    try {
      const sealed = await sealer.seal(...given);
      if (sealed.receipts.length > 0) metrics.receipts.inc({ outcome: 'sealed' }, sealed.receipts.length);
      return sealed;
    } catch (error) {
      metrics.receipts.inc({ outcome: error instanceof OperatingError ? error.code : 'failed' });
      throw error;
    }
  },
});
