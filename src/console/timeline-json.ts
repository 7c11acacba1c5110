import { type EpochMs, type Json, paymentKey, printInstant } from '../evaluator/index.ts';
import type { Timeline } from './timeline.ts';

const instant = (ms: EpochMs | null): string | null => (ms === null ? null : printInstant(ms));

/** The timeline as one JSON object, instants printed: what `explain --json` prints and HTTP answers. */
export const timelineJson = (timeline: Timeline): Json => {
  const { awaited, asOf, payment, entries, ...rest } = timeline;
  return {
    ...rest,
    payment_key: paymentKey(payment),
    as_of: printInstant(asOf),
    entries: entries.map((entry) => ({ ...entry, at: printInstant(entry.at) })),
    awaited: {
      reads: awaited.reads.map((read) => ({ ...read, dueAt: printInstant(read.dueAt) })),
      deadline: instant(awaited.deadline),
      escalate_to: awaited.escalateTo,
      evaluate_at: instant(awaited.evaluateAt),
    },
  } as unknown as Json;
};
