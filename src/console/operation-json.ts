import type { Json } from '../evaluator/index.ts';
import type { Timeline } from './timeline.ts';
import { timelineJson } from './timeline-json.ts';
import type { ToldVerdict } from './told-verdict.ts';

const revisionJson = ({ revision, verdict, class: kind, reason, detail, decided_at }: ToldVerdict): Json => ({
  revision,
  verdict,
  class: kind,
  reason,
  ...(detail === undefined ? {} : { detail }),
  decided_at,
});

/**
 * One operation as HTTP tells it, from its timeline alone. `verdict` is the last revision as it was published, without what is not
 * known of it; `present` is what it comes to as of now where it waits or is not known in full, else null; `conditions` are always as
 * of now.
 */
export const operationJson = (key: string, timeline: Timeline): Json => {
  const { last, present, conditions, entries } = timeline;
  const revisions = entries.flatMap((entry) => (entry.form === 'revision' ? [revisionJson(entry.verdict)] : []));
  return { key, verdict: last, present, conditions, revisions, timeline: timelineJson(timeline) } as unknown as Json;
};
