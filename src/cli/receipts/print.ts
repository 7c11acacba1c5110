import type { ReceiptProblem } from '../../receipts/index.ts';

/** A problem as one line: where, which, of what, and how. */
export const problemLine = ({ at, code, verdictId, detail }: ReceiptProblem): string =>
  `${at}: ${code}${verdictId === null ? '' : ` ${verdictId}`}: ${detail}`;

/** As the JSON of the commands has it. */
export const problemJson = ({ at, code, verdictId, detail }: ReceiptProblem) => ({
  code,
  at,
  verdict_id: verdictId,
  detail,
});

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
