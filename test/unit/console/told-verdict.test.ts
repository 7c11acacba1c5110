import { describe, expect, it } from 'vitest';
import { operationJson } from '../../../src/console/operation-json.ts';
import { timelineOfState } from '../../../src/console/state-timeline.ts';
import type { Observation, VerdictRecord } from '../../../src/evaluator/index.ts';
import { shipped } from '../../support/contracts.ts';
import { acted, at, event, type Played, play, read, reviewed, started } from '../../support/story.ts';

const DAY = 86_400;
const GOOD: readonly Observation[] = [
  started('op-1', 0),
  acted('op-1', 1, 'R1'),
  event('R1', 4, { created: 1 }),
  read('op-1', 30, 'R1', { created: 1 }),
];
const LOST = [started('op-1', 0), acted('op-1', 1, 'R1'), read('op-1', 30, 'R1', { created: 1 })];
const failed = read('op-1', 5 * DAY, 'R1', { status: 'FAILED', created: 1, updated: 5 * DAY - 10 });

const STORIES: Readonly<Record<string, Played>> = {
  pending: play(shipped, GOOD.slice(0, 1)),
  verified: play(shipped, GOOD),
  'failed after it was verified': play(shipped, [...GOOD, failed]),
  doubled: play(shipped, [...GOOD, event('R2', 60, { created: 60 })], 600),
  unverifiable: play(shipped, LOST, 4 * DAY),
  'decided by a reviewer': play(shipped, [...LOST, reviewed('op-1', 4 * DAY, 2, 'VERIFIED')]),
  'reviewed and open again': play(shipped, [...LOST, reviewed('op-1', 4 * DAY, 2, 'VERIFIED'), failed]),
  refused: play(shipped, [started('op-1', 0, { refused: { code: 'input_invalid', detail: 'it is wrong' } })], 60),
};

const NEVER_KEPT = [
  'detail',
  'refund',
  'correlation',
  'conditions',
  'evidence',
  'refunds_seen',
  'duplicates_dropped',
  'findings',
  'receipt',
];

const told = ({ state }: Played) => {
  const timeline = timelineOfState(shipped, state, 'op-1', at(6 * DAY));
  if (timeline === null) throw new Error('no timeline');
  return timeline;
};

describe('a verdict that is told from the state', () => {
  it.each(Object.entries(STORIES))('%s: says of each revision what was published, or nothing', (_, played) => {
    const revisions = told(played).entries.flatMap((entry) => (entry.form === 'revision' ? [entry.verdict] : []));
    expect(revisions).toHaveLength(played.verdicts.length);
    for (const [index, revision] of revisions.entries()) {
      const published = played.verdicts[index] as VerdictRecord;
      const { ids: _ids, ...duplicates } = published.duplicates;
      const kept = Object.entries(published).filter(([name]) => !NEVER_KEPT.includes(name));
      expect(revision).toEqual({ ...Object.fromEntries(kept), duplicates });
    }
  });

  it('leaves out of its JSON what is not kept, so that nobody reads that there was none', () => {
    const { verdict, revisions } = operationJson('key', told(STORIES['verified'] as Played)) as unknown as {
      verdict: object;
      revisions: object[];
    };
    expect(Object.keys(verdict).filter((name) => NEVER_KEPT.includes(name))).toEqual([]);
    expect(revisions.every((revision) => !('detail' in revision))).toBe(true);
  });

  it('comes with all that can be told of it now', () => {
    const { present } = told(STORIES['verified'] as Played);
    expect(present).toMatchObject({
      verdict: 'VERIFIED',
      detail: expect.stringContaining('R1'),
      refund: { id: 'R1' },
      refunds_seen: { ids: ['R1'], count: 1 },
      duplicates: { ids: [], count: 0 },
    });
    expect(present?.evidence.map(({ channel }) => channel)).toContain('refund_readback');
    expect(told(STORIES['doubled'] as Played).present?.duplicates).toEqual({ ids: ['R2'], count: 1 });
  });

  it('is told in full where it is at hand, and then waits for nothing', () => {
    const played = STORIES['verified'] as Played;
    const full = timelineOfState(shipped, played.state, 'op-1', at(6 * DAY), played.verdicts);
    expect([full?.last, full?.present]).toEqual([played.last(), null]);
  });
});
