import type { Receipt } from '../evaluator/index.ts';
import { printJson } from '../records/json-text.ts';

const MARK = ',"receipt":{';
/** How a verdict ends that is linked and not sealed. */
const UNSEALED = '"jws":""}}';

/**
 * The receipt of a verdict's JSON as our own commit printed it, where it waits for its seal; else null. It is the record's last
 * field: a record is some kilobytes, and need not be read for it.
 */
export const unsealedReceipt = (json: string): Receipt | null => {
  if (!json.endsWith(UNSEALED)) return null;
  const at = json.lastIndexOf(MARK);
  return at < 0 ? null : (JSON.parse(json.slice(at + MARK.length - 1, -1)) as Receipt);
};

/** The same JSON with another receipt. */
export const withReceipt = (json: string, receipt: Receipt | null): string =>
  `${json.slice(0, json.lastIndexOf(MARK) + MARK.length - 1)}${printJson(receipt as never)}}`;
