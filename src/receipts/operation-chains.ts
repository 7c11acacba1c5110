import type { VerdictRecord } from '../evaluator/index.ts';
import type { OpenReceipt } from './open-receipt.ts';
import type { ReceiptProblem } from './problem.ts';

/** What chains are made of: a receipt without the verdict that it seals. Millions of them are held at once. */
export type ReceiptLinks = Pick<OpenReceipt, 'header' | 'hash' | 'chainHash' | 'previous'> & {
  readonly verdict: Pick<VerdictRecord, 'verdict_id' | 'payment_key' | 'operation_id' | 'revision'>;
};

/** A receipt that is authentic, and where it was read. */
export interface PlacedReceipt {
  readonly at: string;
  readonly receipt: ReceiptLinks;
}

/** The links of a receipt, and nothing that would keep the rest of it in memory. */
export const linksOf = ({ header, hash, chainHash, previous, verdict }: OpenReceipt): ReceiptLinks => {
  const { verdict_id, payment_key, operation_id, revision } = verdict;
  return { header, hash, chainHash, previous, verdict: { verdict_id, payment_key, operation_id, revision } };
};

const operationOf = ({ receipt: { verdict } }: PlacedReceipt): string =>
  JSON.stringify([verdict.payment_key, verdict.operation_id]);

const problem = (
  code: 'RECEIPT_CHAIN_BROKEN' | 'RECEIPT_REVISION_MISSING',
  { at, receipt }: PlacedReceipt,
  detail: string,
): ReceiptProblem => ({ code, at, verdictId: receipt.verdict.verdict_id, detail });

/** One receipt of each hash, by revision. */
const distinct = (placed: readonly PlacedReceipt[]): PlacedReceipt[] => {
  const byHash = new Map(placed.map((one) => [one.receipt.hash, one]));
  return [...byHash.values()].sort((a, b) => a.receipt.verdict.revision - b.receipt.verdict.revision);
};

const forks = (receipts: readonly PlacedReceipt[]): ReceiptProblem[] =>
  receipts.flatMap((one, index) => {
    const before = receipts[index - 1];
    const { revision } = one.receipt.verdict;
    if (before === undefined || before.receipt.verdict.revision !== revision) return [];
    return [
      problem('RECEIPT_CHAIN_BROKEN', one, `two receipts seal revision ${revision}; the other is at ${before.at}`),
    ];
  });

const linkOf = (one: PlacedReceipt, receipts: readonly PlacedReceipt[], isPartial: boolean): ReceiptProblem[] => {
  const { previous, verdict } = one.receipt;
  const { revision } = verdict;
  const earlier = receipts.filter(({ receipt }) => receipt.verdict.revision < revision);
  if (previous === null) {
    const last = earlier.at(-1)?.receipt.verdict.revision;
    if (last === undefined) return [];
    return [
      problem('RECEIPT_CHAIN_BROKEN', one, `it says it is the operation’s first, but revision ${last} is sealed`),
    ];
  }
  if (previous.revision >= revision)
    return [problem('RECEIPT_CHAIN_BROKEN', one, `it names revision ${previous.revision} as the one before it`)];
  const named = earlier.filter(({ receipt }) => receipt.verdict.revision === previous.revision);
  if (named.some(({ receipt }) => receipt.hash === previous.hash)) return [];
  if (named.length > 0) {
    const detail = `it names a receipt of revision ${previous.revision} with the hash ${previous.hash}, and the one at hand has another`;
    return [problem('RECEIPT_CHAIN_BROKEN', one, detail)];
  }
  if (isPartial && earlier.length === 0) return [];
  return [
    problem(
      'RECEIPT_REVISION_MISSING',
      one,
      `revision ${previous.revision}, which it names as the one before it, is not here`,
    ),
  ];
};

/**
 * Holds each operation's receipts against one another, whatever their order. What is missing after the last of them cannot be told.
 *
 * @param isPartial earlier revisions than the first of each operation may be missing
 */
export const checkOperationChains = (placed: readonly PlacedReceipt[], isPartial: boolean): ReceiptProblem[] => {
  const operations = new Map<string, PlacedReceipt[]>();
  for (const one of placed) {
    const held = operations.get(operationOf(one));
    if (held === undefined) operations.set(operationOf(one), [one]);
    else held.push(one);
  }
  return [...operations.values()].flatMap((all) => {
    const receipts = distinct(all);
    return [...forks(receipts), ...receipts.flatMap((one) => linkOf(one, receipts, isPartial))];
  });
};
