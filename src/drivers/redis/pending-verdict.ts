import type { PendingVerdict } from '../../ports/shard-store.ts';

/** A pending record as Redis holds it: sequence, JSON of [key, traceparent, topic unless verdicts], and the record, by lines. */
export const pendingText = ({ sequence, key, traceparent, topic, value }: PendingVerdict): string =>
  `${sequence}\n${JSON.stringify(topic === undefined ? [key, traceparent] : [key, traceparent, topic])}\n${value}`;

/** The inverse of `pendingText`. */
export const parsePending = (text: string): PendingVerdict => {
  const first = text.indexOf('\n');
  const second = text.indexOf('\n', first + 1);
  const [key, traceparent, topic] = JSON.parse(text.slice(first + 1, second)) as [
    string,
    string | null,
    PendingVerdict['topic']?,
  ];
  const pending = { sequence: Number(text.slice(0, first)), key, traceparent, value: text.slice(second + 1) };
  return topic === undefined ? pending : { ...pending, topic };
};
