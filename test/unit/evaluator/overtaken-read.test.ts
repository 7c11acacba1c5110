import { describe, expect, it } from 'vitest';
import { isNewer, LAG_MS } from '../../../src/evaluator/fold.ts';
import type { FoldedFacts, RefundFacts } from '../../../src/evaluator/index.ts';
import { shipped } from '../../support/contracts.ts';
import { acted, at, event, list, play, read, refundFacts, started } from '../../support/story.ts';

const proven = [
  started('op-1', 0),
  acted('op-1', 1, 'R1'),
  event('R1', 4, { created: 1, updated: 3 }),
  read('op-1', 30, 'R1', { created: 1, updated: 3 }),
];

describe('a list that is newer than what was read', () => {
  const failed = list('op-1', 3600, [refundFacts('R1', 3600, { status: 'FAILED', created: 1, updated: 900 })]);

  it('takes VERIFIED back where it says that the refund failed, and asks for a read of its own', () => {
    const played = play(shipped, [...proven, failed]);
    expect(played.revisions().at(-1)).toBe('PENDING withdrawn');
    expect(played.step.reads).toContainEqual(expect.objectContaining({ channel: 'refund_readback', resourceId: 'R1' }));
  });

  it('is believed once the refund is read again', () => {
    const again = read('op-1', 3605, 'R1', { status: 'FAILED', created: 1, updated: 900 });
    expect(play(shipped, [...proven, failed, again]).last().verdict).toBe('FAILED');
  });

  it('changes nothing where it says the same', () => {
    const same = list('op-1', 3600, [refundFacts('R1', 3600, { created: 1, updated: 3 })]);
    const played = play(shipped, [...proven, same]);
    expect(played.last().verdict).toBe('VERIFIED');
    expect(played.step.reads).toEqual([]);
  });
});

describe('which of two tells of something newer', () => {
  const folded = (state: RefundFacts['state'], seconds: number, updated: number | null): FoldedFacts => ({
    facts: { ...refundFacts('R1', seconds, { updated }), state },
    at: at(seconds),
    sha256: '',
    source: { topic: 'story', partition: 0, offset: '1' },
  });
  const event = folded('dead', 100, 100);

  it('is the event while an answer without an update time may lag behind it', () => {
    const lagging = folded('complete', 100 + LAG_MS / 1000 - 1, null);
    expect([isNewer(event, lagging), isNewer(lagging, event)]).toEqual([true, false]);
  });

  it('is the answer once it cannot lag so far', () => {
    const later = folded('complete', 101 + LAG_MS / 1000, null);
    expect([isNewer(event, later), isNewer(later, event)]).toEqual([false, true]);
  });

  it('is the terminal one where only one prints its time', () => {
    const pending = folded('pending', 200, 200);
    const answer = folded('complete', 110, null);
    expect([isNewer(pending, answer), isNewer(answer, pending)]).toEqual([false, true]);
  });

  it('is the one that prints its time where neither is terminal', () => {
    const [printed, bare] = [folded('pending', 100, 100), folded('pending', 500, null)];
    expect([isNewer(printed, bare), isNewer(bare, printed)]).toEqual([true, false]);
  });
});

describe('an operation that reported two refunds', () => {
  const two = [started('op-1', 0), acted('op-1', 1, 'R1'), acted('op-1', 3, 'R2')];

  it('has the other read as well while nobody says what became of it', () => {
    const played = play(shipped, [...two, event('R1', 6, { created: 1 })]);
    const reads = played.step.reads.filter(({ channel }) => channel === 'refund_readback');
    expect(new Set(reads.map(({ resourceId }) => resourceId))).toEqual(new Set(['R1', 'R2']));
  });

  it('has the second read when the first fails after the deadline', () => {
    const late = 5 * 86_400;
    const failure = event('R1', late, { type: 'PAYMENT.REFUND.FAILED', status: 'FAILED', created: 1, updated: late });
    const pending = event('R1', 5, { type: 'PAYMENT.REFUND.PENDING', status: 'PENDING', created: 1, updated: 2 });
    const last = read('op-1', 3 * 86_400 + 1, 'R1', { status: 'PENDING', created: 1, updated: 2 });
    const played = play(shipped, [...two, pending, event('R2', 6, { created: 2 }), last, failure]);
    expect(played.step.reads).toContainEqual(expect.objectContaining({ resourceId: 'R2', purpose: 'event' }));
  });

  it('has the other read again where a list told too soon that it failed, and then counts it no more', () => {
    const dead = refundFacts('R1', 6, { status: 'FAILED', created: 1, updated: 1 });
    const good = refundFacts('R2', 6, { created: 2 });
    const listed = [
      ...two,
      read('op-1', 5, 'R2', { created: 2 }),
      list('op-1', 6, [dead, good]),
      event('R2', 7, { created: 2 }),
    ];
    const played = play(shipped, listed);
    expect(played.last().verdict).toBe('PENDING');
    const due = { resourceId: 'R1', purpose: 'candidate' };
    expect(played.step.reads.filter(({ dueAt }) => dueAt >= at(21))).toContainEqual(expect.objectContaining(due));
    const again = read('op-1', 22, 'R1', { status: 'FAILED', created: 1, updated: 1 });
    expect(play(shipped, [...listed, again]).last()).toMatchObject({ verdict: 'VERIFIED', refund: { id: 'R2' } });
  });
});

describe('an unowned refund first seen dead', () => {
  const dead = refundFacts('R2', 0, { status: 'FAILED', created: 2, updated: 2 });
  const own = [
    started('op-1', 0),
    acted('op-1', 1, 'R1'),
    event('R1', 4, { created: 1 }),
    read('op-1', 30, 'R1', { created: 1 }),
  ];

  it('is read again once the stale read window is over, and then counts no more', () => {
    const listed = [...own, list('op-1', 1000, [refundFacts('R1', 0, { created: 1 }), dead])];
    expect(play(shipped, listed, 1200).last().verdict).toBe('PENDING');
    expect(play(shipped, listed).step.reads).toContainEqual(
      expect.objectContaining({ resourceId: 'R2', purpose: 'candidate', dueAt: at(1020) }),
    );
    const again = read('op-1', 1020, 'R2', { status: 'FAILED', created: 2, updated: 2 });
    const played = play(shipped, [...listed, again], 1200);
    expect(played.last().verdict).toBe('VERIFIED');
    expect(played.step.reads).toEqual([]);
  });
});
