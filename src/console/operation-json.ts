import type { Json, VerdictRecord } from '../evaluator/index.ts';
import type { Timeline } from './timeline.ts';
import { timelineJson } from './timeline-json.ts';

const revisionJson = ({ revision, verdict, class: kind, reason, detail, decided_at }: VerdictRecord): Json => ({
  revision,
  verdict,
  class: kind,
  reason,
  detail,
  decided_at,
});

/**
 * One operation as HTTP tells it, from its timeline alone. `verdict` is the last revision as it was published; `present` is what it
 * comes to as of now while it waits, else null; `conditions` are always as of now.
 */
export const operationJson = (key: string, timeline: Timeline): Json => {
  const { last, present, conditions, entries } = timeline;
  const revisions = entries.flatMap((entry) => (entry.form === 'revision' ? [revisionJson(entry.verdict)] : []));
  // A revision that the state remembers, and not the log, holds no conditions of its own.
  const verdict = last === null || last.conditions.length > 0 ? last : { ...last, conditions };
  return { key, verdict, present, conditions, revisions, timeline: timelineJson(timeline) } as unknown as Json;
};
