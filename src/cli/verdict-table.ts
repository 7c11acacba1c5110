import Table from 'cli-table3';
import pc from 'picocolors';
import type { VerdictName, VerdictRecord } from '../evaluator/index.ts';

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
export const printable = (text: string): string =>
  [...text].map((character) => (/[\p{Cc}\p{Cf}]/u.test(character) ? '\uFFFD' : character)).join('');

const ROWS_A_TABLE = 200;

/** The rows as tables of bounded size, so that a million operations can be printed. */
export function* printVerdictTables(rows: Iterable<VerdictRow>, width: number): Generator<string> {
  const narrow = Math.max(80, Math.min(width, 160));
  const operation = 22;
  const payment = 30;
  const verdict = 14;
  const colWidths = [operation, payment, verdict, narrow - operation - payment - verdict - 5];
  const make = (): Table.Table =>
    new Table({
      head: ['Operation', 'Payment', 'Verdict', 'Why'],
      colWidths,
      wordWrap: true,
      style: { head: [], border: [] },
    });
  let table = make();
  for (const row of rows) {
    const kind = row.class === null ? '' : ` (${row.class})`;
    const why = `${row.reason}${kind}${row.detail === '' ? '' : `\n${shortened(row.detail)}`}`;
    table.push([
      folded(row.operationId, operation - 2),
      folded(row.paymentKey, payment - 2),
      paintVerdict(row.verdict),
      printableLines(why),
    ]);
    if (table.length === ROWS_A_TABLE) {
      yield table.toString();
      table = make();
    }
  }
  if (table.length > 0) yield table.toString();
}

/** An id is one long word: it is cut to the column's width, nothing of it is left out. */
const folded = (id: string, width: number): string =>
  Array.from({ length: Math.ceil(id.length / width) }, (_, index) =>
    printable(id.slice(index * width, (index + 1) * width)),
  ).join('\n');

const DETAIL_CHARS = 320;

const shortened = (detail: string): string =>
  detail.length > DETAIL_CHARS ? `${detail.slice(0, DETAIL_CHARS - 1)}…` : detail;

const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
