import pc from 'picocolors';
import type { VerdictName, VerdictRecord } from '../evaluator/index.ts';
import { paintVerdict, printable } from './verdict-table.ts';

const SHOWN = 12;
const ORDER: readonly VerdictName[] = ['VERIFIED', 'CONTRADICTED', 'FAILED', 'PENDING', 'UNVERIFIABLE'];

const clockTime = (instant: string): string => instant.slice(11, 19);

const fitted = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);

/** One revision as a line: when, which operation, what, why. */
export const revisionLine = (verdict: VerdictRecord, paint: boolean): string => {
  const word = verdict.verdict.padEnd(12);
  const shown = paint ? word.replace(verdict.verdict, paintVerdict(verdict.verdict)) : word;
  const kind = verdict.class === null ? '' : ` (${verdict.class})`;
  return `${clockTime(verdict.decided_at)}  ${fitted(printable(verdict.operation_id), 22)}  ${shown}  ${printable(verdict.reason)}${kind}`;
};

/** Shows a run while it goes on. */
export interface LiveView {
  verdict(verdict: VerdictRecord): void;
  deadLetter(code: string, reason: string): void;
  /** redraws, where there is something to redraw */
  draw(records: number, total: number): void;
  end(): void;
}

/** A view that redraws itself on a terminal. */
export const terminalView = (stream: NodeJS.WriteStream): LiveView => {
  const recent: string[] = [];
  const standing = new Map<string, VerdictName>();
  let deadLetters = 0;
  let drawn = 0;
  let width = 100;
  const keep = (line: string): void => {
    recent.push(line);
    if (recent.length > SHOWN) recent.shift();
  };
  return {
    verdict: (verdict) => {
      standing.set(`${verdict.payment_key}/${verdict.operation_id}`, verdict.verdict);
      keep(revisionLine(verdict, true));
    },
    deadLetter: (code, reason) => {
      deadLetters += 1;
      keep(`${' '.repeat(8)}  ${pc.dim(`no evidence: ${code}, ${printable(reason)}`)}`);
    },
    draw: (records, total) => {
      width = stream.columns ?? width;
      const counts = new Map<VerdictName, number>();
      for (const verdict of standing.values()) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      const totals = ORDER.map((verdict) => `${paintVerdict(verdict)} ${counts.get(verdict) ?? 0}`).join('   ');
      const lines = [
        `${pc.bold('A day of refunds')}   ${records} of ${total} records   no evidence ${deadLetters}`,
        totals,
        '',
        ...recent,
      ];
      // Lines do not wrap while they are drawn: a wrapped one would move everything below it.
      const text = lines.map((line) => `\u001B[2K${line}`).join('\n');
      stream.write(`\u001B[?7l${drawn > 0 ? `\u001B[${drawn}F` : ''}${text}\n\u001B[?7h`);
      drawn = lines.length;
    },
    end: () => {
      stream.write('\n');
    },
  };
};

/** Plain lines, for a pipe or a log: each revision that decides something. */
export const plainView = (write: (line: string) => void): LiveView => ({
  verdict: (verdict) => {
    if (verdict.verdict !== 'PENDING') write(revisionLine(verdict, false));
  },
  deadLetter: (code, reason) => write(`${' '.repeat(8)}  no evidence: ${code}, ${printable(reason)}`),
  draw: () => undefined,
  end: () => write(''),
});
