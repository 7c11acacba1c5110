import type { VerdictName } from '../evaluator/index.ts';
import type { VerdictRow } from './verdict-table.ts';

const ORDER: readonly VerdictName[] = ['VERIFIED', 'CONTRADICTED', 'FAILED', 'PENDING', 'UNVERIFIABLE'];

const number = (value: number): string => value.toLocaleString('en-US');
const plural = (count: number, one: string): string => `${number(count)} ${one}${count === 1 ? '' : 's'}`;

export interface ReplayTotals {
  readonly lines: number;
  readonly operations: number;
  readonly verdicts: ReadonlyMap<VerdictName, number>;
  readonly deadLetters: ReadonlyMap<string, number>;
  /** the time reached, an instant; null where no record said a time */
  readonly until: string | null;
}

export const countVerdicts = (rows: Iterable<Pick<VerdictRow, 'verdict'>>): Map<VerdictName, number> => {
  const counts = new Map<VerdictName, number>();
  for (const { verdict } of rows) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return counts;
};

/** The run in a few lines for a person. */
export const printSummary = (totals: ReplayTotals): string => {
  const lines = [
    `${plural(totals.lines, 'line')}, ${plural(totals.operations, 'operation')}${totals.until === null ? '' : `, as of ${totals.until}`}`,
  ];
  const verdicts = ORDER.filter((verdict) => totals.verdicts.has(verdict)).map(
    (verdict) => `${verdict} ${number(totals.verdicts.get(verdict) ?? 0)}`,
  );
  if (verdicts.length > 0) lines.push(verdicts.join('   '));
  const codes = [...totals.deadLetters].map(([code, count]) => `${code} ${number(count)}`);
  if (codes.length > 0) lines.push(`dead letters: ${codes.join('   ')}`);
  const advice = [...totals.deadLetters.keys()].flatMap((code) => ADVICE[code] ?? []);
  return [...lines, ...advice].join('\n');
};

/** What a person can do about some dead letters. */
const ADVICE: Readonly<Record<string, string>> = {
  ENDPOINT_UNKNOWN:
    'Webhooks of an endpoint without secrets are no evidence: name its secrets with --config FILE, or take the gateway’s word with --trust-gateway.',
  SIGNATURE_UNVERIFIABLE:
    'Webhooks whose signature cannot be checked are no evidence: name secrets or certificates with --config FILE, or use --trust-gateway.',
};
