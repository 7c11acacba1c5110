import pc from 'picocolors';
import { type Column, tableHead, tableRow } from '../text-table.ts';
import { printable } from '../verdict-table.ts';
import type { RedrivePlan } from './plan.ts';
import type { ValueView } from './value-view.ts';

/** What is told of a letter: where it stands, where it came from, why it is here. */
export interface LetterHead {
  readonly id: string;
  readonly at: string;
  readonly code: string;
  readonly reason: string;
  /** null: the line was no record of any topic */
  readonly topic: string | null;
  /** null where it came to the embedded mode, by no partition */
  readonly partition: number | null;
  readonly offset: string | null;
  readonly key: string | null;
  readonly redriven: boolean;
}

const sayFrom = ({ topic, partition, offset }: LetterHead, at: string): string => {
  if (topic === null) return 'no topic';
  return partition === null ? topic : `${topic}/${partition}${at}${offset}`;
};

/** A table of letters, line by line. */
export function* printLetterRow(heads: readonly LetterHead[], terminalWidth: number): Generator<string> {
  const width = Math.max(80, Math.min(terminalWidth, 160));
  const columns: Column[] = [
    { heading: 'Letter', width: 10 },
    { heading: 'Set aside', width: 20 },
    { heading: 'From', width: 32 },
    { heading: 'Why', width: width - 68 },
  ];
  yield tableHead(columns);
  for (const head of heads) {
    const from = sayFrom(head, '@');
    const sent = head.redriven ? ' (sent again)' : '';
    yield tableRow(columns, [
      head.id,
      head.at.slice(0, 19).replace('T', ' '),
      printable(from),
      `${head.code}${sent}: ${printable(head.reason)}`,
    ]);
  }
}

const printValue = (value: ValueView): string[] => {
  switch (value.form) {
    case 'json':
    case 'avro':
      return [`Value (${value.form}):`, printable(value.text)];
    case 'text':
      return [`Value as text (${printable(value.why)}):`, printable(value.text)];
    case 'bytes':
      return [`Value in base64 (${printable(value.why)}):`, value.base64];
    case 'none':
      return ['Value: none'];
  }
};

/** One letter whole. */
export const printLetter = (
  letter: LetterHead & { readonly headers: Readonly<Record<string, string>>; readonly value: ValueView },
): string =>
  [
    `${pc.bold(`Dead letter ${letter.id}`)}, set aside ${letter.at}${letter.redriven ? ', sent again since' : ''}`,
    `From    ${printable(sayFrom(letter, ', offset '))}`,
    `Key     ${letter.key === null ? 'none' : printable(letter.key)}`,
    `Code    ${letter.code}`,
    `Reason  ${printable(letter.reason)}`,
    ...Object.entries(letter.headers).map(([name, text]) => `Header  ${printable(name)}: ${printable(text)}`),
    '',
    ...printValue(letter.value),
  ].join('\n');

const FATES: Readonly<Record<RedrivePlan['fate'], string>> = {
  send: 'would be taken',
  refused: 'would come back',
  lost: 'cannot be sent',
};

export const printPlan = ({ letter, fate, detail }: RedrivePlan, isSent: boolean, isDone: boolean): string => {
  const what = isSent ? 'sent again' : isDone && fate === 'send' ? 'was sent before' : FATES[fate];
  return `${letter.id.padEnd(10)}  ${letter.record.topic}  ${letter.code}  ${what}: ${printable(detail)}`;
};
