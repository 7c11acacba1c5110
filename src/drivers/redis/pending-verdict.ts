import type { PendingVerdict } from '../../ports/shard-store.ts';

/** A pending verdict as Redis holds it: sequence, JSON of [key, traceparent], and the record, separated by line feeds. */
export const pendingText = (verdict: PendingVerdict): string =>
  `${verdict.sequence}\n${JSON.stringify([verdict.key, verdict.traceparent])}\n${verdict.value}`;

/** The inverse of `pendingText`. */
export const parsePending = (text: string): PendingVerdict => {
  const first = text.indexOf('\n');
  const second = text.indexOf('\n', first + 1);
  const [key, traceparent] = JSON.parse(text.slice(first + 1, second)) as [string, string | null];
  return { sequence: Number(text.slice(0, first)), key, traceparent, value: text.slice(second + 1) };
};
