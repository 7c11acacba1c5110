import { OperatingError } from '../../errors.ts';
import { EMPTY_CHAIN, type HeldReceipt, type ReceiptSealer } from '../../ports/receipt-sealer.ts';
import type { ReceiptStore } from '../../ports/receipt-store.ts';
import { JsonLinesFile } from './json-lines-file.ts';

const SHARD = 0;
/** Signatures are checked so many at a time. */
const PAGE = 256;

/**
 * A file of receipts, a compact JWS a line. Throws JOURNAL_UNWRITABLE, and CONFIG_INVALID where a line of it is no receipt that a
 * key of the set has signed: going on would begin a second chain beside the first.
 */
export const openReceiptFile = async (
  path: string,
  sealer: ReceiptSealer,
): Promise<ReceiptStore & { close(): void }> => {
  const held: HeldReceipt[] = [];
  const lines: string[] = [];
  const file = await JsonLinesFile.open(path, (line) => lines.push(line));
  for (let from = 0; from < lines.length; from += PAGE) {
    const opened = await Promise.all(lines.slice(from, from + PAGE).map((line) => sealer.open(SHARD, line)));
    for (const [index, receipt] of opened.entries()) {
      if (receipt === null) {
        file.close();
        throw new OperatingError(
          'CONFIG_INVALID',
          `line ${from + index + 1} of ${path} is not a receipt that a key of receipts.keys has signed; keep the keys of all receipts in the set`,
          { context: { path } },
        );
      }
      held.push(receipt);
    }
  }
  return {
    head: held.at(-1)?.head ?? EMPTY_CHAIN,
    held,
    append: (receipts) => {
      for (const receipt of receipts) file.append(receipt);
    },
    close: () => file.close(),
  };
};
