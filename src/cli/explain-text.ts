import pc from 'picocolors';
import type { ConditionChange, Timeline, TimelineEntry } from '../console/timeline.ts';
import {
  type DueRead,
  type EpochMs,
  type JudgedCondition,
  paymentKey,
  type VerdictRecord,
} from '../evaluator/index.ts';
import { type Column, tableHead, tableRow, wrap } from './text-table.ts';
import { paintVerdict, printable } from './verdict-table.ts';

/** `2026-09-01 12:00:00.350 UTC` */
const sayTime = (ms: EpochMs): string =>
  `${new Date(ms).toISOString().replace('T', ' ').replace('.000Z', 'Z').slice(0, -1)} UTC`;

const ADVICE: Readonly<Record<VerdictRecord['advice'], string>> = {
  none: 'Nothing is left to do.',
  wait: 'Wait: evidence is still expected.',
  retry_same_key: 'The refund may be tried again, with the same idempotency key.',
  do_not_retry: 'Do not try the refund again: the money may go twice.',
  ask_person: 'A person must look at it.',
};

const WHY: Readonly<Record<string, string>> = {
  no_answer: 'not read yet, or read and not bound to it',
  missing: 'the provider leaves it out',
  stale_read: 'read too early to count',
  open_count: 'a refund may still turn out to be another operation’s',
};

const RESULTS: Readonly<Record<JudgedCondition['kind'], { readonly true: string; readonly false: string }>> = {
  verified: { true: 'holds', false: 'does not hold' },
  contradicted: { true: 'CONTRADICTS', false: 'no contradiction' },
  state: { true: 'applies', false: 'does not apply' },
};

/**
 * What a reader wants to hear of at once: a condition that holds now, or does not any more. That a contradiction is not there, or
 * a rule does not apply, stands in the table at the end.
 */
const isNews = ({ before, now }: ConditionChange): boolean =>
  now.result === 'true' || before === 'true' || (now.kind === 'verified' && now.result === 'false' && before !== null);

const sayResult = (condition: JudgedCondition): string => {
  if (condition.result !== 'unknown') return RESULTS[condition.kind][condition.result];
  return `not known${condition.why === null ? '' : ` (${WHY[condition.why] ?? condition.why})`}`;
};

const sayChange = ({ now }: ConditionChange): string => {
  const observed = now.observed === null ? '' : `, observed ${now.observed}`;
  const expected = now.expected === null ? '' : `, expected ${now.expected}`;
  return `${now.name}: ${sayResult(now)}${observed}${expected}`;
};

const block = (head: string, text: string, width: number, indent: string): string[] => {
  const lines = wrap(printable(text), width - indent.length);
  return lines.map((line, index) => (index === 0 ? `${head}${line}` : `${indent}${line}`));
};

const INDENT = ' '.repeat(4);

const printEntry = (entry: TimelineEntry, width: number): string[] => {
  const time = pc.dim(sayTime(entry.at));
  switch (entry.form) {
    case 'record': {
      const place = pc.dim(`${entry.source.topic}:${entry.source.offset}`);
      const repeat = entry.isRepeat ? ' It was seen before and counts once.' : '';
      return [
        `${time}  ${place}`,
        ...block(INDENT, `${entry.sentence}${repeat}`, width, INDENT),
        ...entry.changes
          .filter(isNews)
          .flatMap((change) => block(`${INDENT}· `, sayChange(change), width, `${INDENT}  `)),
      ];
    }
    case 'time':
      return [
        `${time}  time passed`,
        ...entry.changes
          .filter(isNews)
          .flatMap((change) => block(`${INDENT}· `, sayChange(change), width, `${INDENT}  `)),
      ];
    case 'revision': {
      const { verdict } = entry;
      const kind = verdict.class === null ? '' : ` (${verdict.class})`;
      const head = `${INDENT}➜ revision ${verdict.revision}: ${paintVerdict(verdict.verdict)}${kind}, ${verdict.reason}`;
      const { detail = '' } = verdict;
      return [head, ...(detail === '' ? [] : block(`${INDENT}  `, detail, width, `${INDENT}  `))];
    }
    case 'dead_letter': {
      const place = pc.dim(`${entry.source.topic}:${entry.source.offset}`);
      return [
        `${time}  ${place}`,
        ...block(INDENT, `A record about it is no evidence (${entry.code}): ${entry.reason}`, width, INDENT),
      ];
    }
  }
};

const sayRead = ({ channel, attempt, dueAt, purpose, resourceId }: DueRead): string => {
  const what = resourceId === null ? channel : `${channel} of ${resourceId}`;
  return `${sayTime(dueAt)}: read ${what} (${purpose}, attempt ${attempt})`;
};

const printAwaited = ({ awaited, asOf, last }: Timeline): string[] => {
  const { reads, deadline, escalateTo, evaluateAt } = awaited;
  const lines = reads.map((read) => `${read.dueAt <= asOf ? 'overdue since ' : ''}${sayRead(read)}`);
  if (evaluateAt !== null && evaluateAt !== deadline) {
    lines.push(`${sayTime(evaluateAt)}: a window ends, and it is judged again`);
  }
  if (deadline !== null && last?.verdict === 'PENDING') {
    lines.push(
      `${sayTime(deadline)}: the deadline; without proof it is UNVERIFIABLE from then on and goes to ${escalateTo ?? 'a person'}`,
    );
  }
  return lines;
};

const conditionsTable = (conditions: readonly JudgedCondition[], width: number): string[] => {
  const result = 20;
  const name = 30;
  const value = Math.max(16, Math.floor((width - name - result - 6) / 2));
  const columns: Column[] = [
    { heading: 'Condition', width: name },
    { heading: 'Result', width: result },
    { heading: 'Observed', width: value },
    { heading: 'Expected', width: value },
  ];
  const rows = conditions.map((condition) =>
    tableRow(columns, [
      condition.name,
      sayResult(condition),
      printable(condition.observed ?? '—'),
      printable(condition.expected ?? '—'),
    ]),
  );
  return [tableHead(columns), ...rows];
};

/** What the verdict said when it was published, and, where that has moved on since, what there is to say of it now. */
const sayDetails = ({ last, present, asOf }: Timeline, width: number): string[] => {
  const published = last?.detail ?? '';
  if (present === null || present.detail === published) return published === '' ? [] : block('', published, width, '');
  return [
    ...(published === '' ? [] : block('', `When it was published: ${published}`, width, '')),
    ...block('', `As of ${sayTime(asOf)}: ${present.detail}`, width, ''),
  ];
};

/** The story in plain English for a terminal of `terminalWidth` characters. */
export const printTimeline = (timeline: Timeline, terminalWidth: number): string => {
  const width = Math.max(80, Math.min(terminalWidth, 120));
  const { last, contract } = timeline;
  const lines = [
    pc.bold(`Operation ${printable(timeline.operationId)}`),
    `of payment ${printable(paymentKey(timeline.payment))}${contract === null ? '' : `, under ${contract.id} ${contract.version} (${contract.hash})`}`,
    '',
  ];
  if (last === null) lines.push('No operation.started is known of it, so there is no verdict.');
  else {
    const kind = last.class === null ? '' : ` (${last.class})`;
    lines.push(
      `Verdict: ${paintVerdict(last.verdict)}${kind}, ${last.reason}, revision ${last.revision} of ${sayTime(Date.parse(last.decided_at))}`,
    );
    lines.push(...sayDetails(timeline, width));
    lines.push(ADVICE[last.advice] + (last.escalated_to === null ? '' : ` It was handed to ${last.escalated_to}.`));
  }
  lines.push('', pc.bold('What happened'), '');
  for (const entry of timeline.entries) lines.push(...printEntry(entry, width));
  if (timeline.conditions.length > 0) {
    lines.push('', pc.bold(`The contract's conditions as of ${sayTime(timeline.asOf)}`), '');
    lines.push(...conditionsTable(timeline.conditions, width));
  }
  if (timeline.findings.length > 0) {
    lines.push('', pc.bold('Also worth knowing'), '');
    for (const { code, detail } of timeline.findings) lines.push(...block('- ', `${code}: ${detail}`, width, '  '));
  }
  const awaited = printAwaited(timeline);
  lines.push('', pc.bold('What is awaited next'), '');
  if (awaited.length === 0) lines.push('Nothing: no further read, window or deadline is due.');
  else for (const line of awaited) lines.push(...block('- ', line, width, '  '));
  return lines.join('\n');
};
