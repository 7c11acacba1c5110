import pc from 'picocolors';
import type { ReviewQuestion } from '../../console/review-queue.ts';
import type { JudgedCondition } from '../../evaluator/index.ts';
import { wrap } from '../text-table.ts';
import { paintVerdict, printable } from '../verdict-table.ts';

const HOUR_MS = 3_600_000;

const age = (ms: number): string => {
  const hours = Math.max(0, Math.floor(ms / HOUR_MS));
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
};

const howOf = ({ kind, result }: JudgedCondition): string => {
  if (kind === 'contradicted') return 'CONTRADICTS';
  if (kind === 'state') return 'applies';
  return result === 'true' ? 'holds' : 'does not hold';
};

const sayKnown = (condition: JudgedCondition): string => {
  const { name, observed, expected } = condition;
  const values = [
    ...(observed === null ? [] : [`observed ${observed}`]),
    ...(expected === null ? [] : [`expected ${expected}`]),
  ];
  return [`${name} ${howOf(condition)}`, ...values].join(', ');
};

const sayMissing = ({ name, path, why }: JudgedCondition): string =>
  `${name} (${path}${why === null ? '' : `: ${why}`})`;

const item = (text: string, width: number): string[] =>
  wrap(printable(text), width - 6).map((line, index) => `${index === 0 ? '    · ' : '      '}${line}`);

const part = (title: string, items: readonly string[], width: number): string[] =>
  items.length === 0 ? [] : [`  ${title}`, ...items.flatMap((text) => item(text, width))];

const sayMoney = ({ verdict, present }: ReviewQuestion): string => {
  const { input } = verdict;
  const { refund, correlation } = present ?? verdict;
  const meant = `${String(input['amount'] ?? '?')} ${String(input['currency_code'] ?? input['currency'] ?? '')}`.trim();
  if (refund === null) return `Meant: ${meant}. Refund: none is known`;
  const weak = correlation?.assurance === 'weak' ? ' (weakly bound)' : '';
  const found = `${refund.id}, ${String(refund.amount)} ${refund.currency ?? ''}, ${refund.status ?? 'no status'}`;
  return `Meant: ${meant}. Refund: ${found}${weak}`;
};

/** The questions, oldest first, each with what is known, what is missing, and how it is answered. */
export function* printQuestions(
  questions: readonly ReviewQuestion[],
  now: number,
  terminalWidth: number,
): Generator<string> {
  const width = Math.max(80, Math.min(terminalWidth, 120));
  if (questions.length === 0) {
    yield 'Nothing waits for a reviewer.';
    return;
  }
  for (const question of questions) {
    const { verdict, present, known, missing } = question;
    const asOf = present === null ? `when it was published, ${verdict.decided_at}` : `as of ${present.as_of}`;
    const since = `since ${age(now - Date.parse(verdict.decided_at))} (${verdict.decided_at})`;
    yield pc.bold(printable(verdict.verdict_id));
    yield `  ${paintVerdict(verdict.verdict)}, ${printable(verdict.reason)}, for ${verdict.escalated_to}, ${since}`;
    const detail = present?.detail ?? verdict.detail;
    if (detail !== '') yield* wrap(printable(detail), width - 2).map((line) => `  ${line}`);
    yield `  ${printable(sayMoney(question))}`;
    yield* part(`Known ${asOf}`, known.map(sayKnown), width);
    yield* part(`Missing ${asOf}`, missing.map(sayMissing), width);
    yield* part(
      'Also',
      verdict.findings.map(({ code, detail }) => `${code}: ${detail}`),
      width,
    );
    yield '';
  }
  yield 'Answer with: countersign review resolve VERDICT-ID --decision VERIFIED|CONTRADICTED|FAILED --reviewer NAME --reason TEXT';
}
