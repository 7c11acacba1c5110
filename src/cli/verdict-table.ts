import pc from 'picocolors';
import type { VerdictName, VerdictRecord } from '../evaluator/index.ts';
import { type Column, tableHead, tableRow } from './text-table.ts';

/** The few fields of an operation's last verdict that a table shows. */
export interface VerdictRow {
  readonly operationId: string;
  readonly paymentKey: string;
  readonly verdict: VerdictName;
  readonly class: string | null;
  readonly reason: string;
  readonly detail: string;
  readonly revision: number;
  readonly decidedAt: string;
}

export const verdictRow = (verdict: VerdictRecord): VerdictRow => ({
  operationId: verdict.operation_id,
  paymentKey: verdict.payment_key,
  verdict: verdict.verdict,
  class: verdict.class,
  reason: verdict.reason,
  detail: verdict.detail,
  revision: verdict.revision,
  decidedAt: verdict.decided_at,
});

const PAINT: Readonly<Record<VerdictName, (text: string) => string>> = {
  VERIFIED: pc.green,
  CONTRADICTED: pc.red,
  FAILED: pc.yellow,
  PENDING: pc.cyan,
  UNVERIFIABLE: pc.magenta,
};

/** The verdict's word in its colour, where the terminal has colours. */
export const paintVerdict = (verdict: VerdictName): string => PAINT[verdict](verdict);

/** Control characters out of text that came from outside: a terminal would act on them. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');

const DETAIL_CHARS = 320;

const shortened = (detail: string): string =>
  detail.length > DETAIL_CHARS ? `${detail.slice(0, DETAIL_CHARS - 1)}…` : detail;

const isVerdict = (word: string): word is VerdictName => word in PAINT;

/** Narrower than this, an operation and its payment share a column. */
const ROOMY = 110;

/** The rows as a table, piece by piece: the heading, then each row. */
export function* printVerdictTable(rows: Iterable<VerdictRow>, terminalWidth: number): Generator<string> {
  const width = Math.max(80, Math.min(terminalWidth, 160));
  const isRoomy = width >= ROOMY;
  const verdict: Column = {
    heading: 'Verdict',
    width: 12,
    paint: (word) => (isVerdict(word) ? paintVerdict(word) : word),
  };
  const ids: Column[] = isRoomy
    ? [
        { heading: 'Operation', width: 22 },
        { heading: 'Payment', width: 28 },
      ]
    : [{ heading: 'Operation and payment', width: 28 }];
  const taken = [...ids, verdict].reduce((sum, column) => sum + column.width + 2, 0);
  const columns = [...ids, verdict, { heading: 'Why', width: width - taken }];
  let isFirst = true;
  for (const row of rows) {
    if (isFirst) yield tableHead(columns);
    isFirst = false;
    const operation = printable(row.operationId);
    const payment = printable(row.paymentKey);
    const kind = row.class === null ? '' : ` (${row.class})`;
    const why = `${printable(row.reason)}${kind}${row.detail === '' ? '' : `\n${printable(shortened(row.detail))}`}`;
    yield tableRow(columns, [...(isRoomy ? [operation, payment] : [`${operation}\n${payment}`]), row.verdict, why]);
  }
}
