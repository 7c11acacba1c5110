import { describe, expect, it } from 'vitest';
import { shipped } from '../../support/contracts.ts';
import { condition, SMALL, smallSet } from '../../support/small-contract.ts';
import { acted, actionFailed, at, CAPTURE, event, play, read, reviewed, started } from '../../support/story.ts';

const DAY = 86_400;
const good = [
  started('op-1', 0),
  acted('op-1', 1, 'R1'),
  event('R1', 4, { created: 1 }),
  read('op-1', 30, 'R1', { created: 1 }),
];

describe('revisions', () => {
  it('number from 1, name what they supersede, and come only where verdict, class or reason changes', () => {
    const played = play(shipped, [
      ...good,
      read('op-1', 60, 'R1', { created: 1 }),
      event('R1', 70, { created: 1, eventId: 'again' }),
    ]);
    expect(played.verdicts.map(({ revision, supersedes }) => [revision, supersedes])).toEqual([
      [1, null],
      [2, `paypal:merchant-1:${CAPTURE}/op-1:1`],
    ]);
  });

  it('follow a failure after success', () => {
    const failed = read('op-1', 5 * 3600, 'R1', { status: 'FAILED', created: 1, updated: 5 * 3600 });
    expect(
      play(shipped, [...good, failed])
        .revisions()
        .at(-1),
    ).toBe('FAILED refund_failed');
  });

  it('follow a success on a retry with the same id after a failure', () => {
    const failed = read('op-1', 40, 'R1', { status: 'FAILED', created: 1, updated: 35 });
    const retried = read('op-1', 90, 'R1', { status: 'COMPLETED', created: 1, updated: 80 });
    const log = [...good.slice(0, 3), failed, retried];
    expect(play(shipped, log).last().verdict).toBe('VERIFIED');
    expect(play(shipped, [...log].reverse()).last().verdict).toBe('VERIFIED');
  });

  it('are not made by a lagging read after VERIFIED', () => {
    const lagging = [
      read('op-1', 60, 'R1', { status: 'PENDING', created: 1, updated: null }),
      read('op-1', 61, 'R1', { outcome: 'absent' }),
    ];
    expect(play(shipped, [...good, ...lagging]).revisions()).toHaveLength(2);
  });

  it('withdraw a terminal verdict that no longer holds, the window over', () => {
    const log = [...good.slice(0, 3), read('op-1', 40, 'R1', { status: 'FAILED', created: 1, updated: 35 })];
    const again = read('op-1', 90, 'R1', { status: 'PENDING', created: 1, updated: 80 });
    const played = play(shipped, [...log, again]);
    expect(played.revisions()).toEqual(['PENDING awaiting_evidence', 'FAILED refund_failed', 'PENDING withdrawn']);
    expect(played.last().detail).toContain('refund_still_pending');
  });
});

describe('a start that is refused', () => {
  const refused = { code: 'input_invalid' as const, detail: 'amount: was "10.0", should be "10.00"' };

  it('is answered UNVERIFIABLE with the reason, and escalated', () => {
    const played = play(shipped, [started('op-1', 0, { refused })], DAY);
    expect(played.verdicts).toHaveLength(1);
    expect(played.last()).toMatchObject({
      verdict: 'UNVERIFIABLE',
      reason: 'input_invalid',
      detail: refused.detail,
      escalated_to: 'person',
    });
    expect(played.last()).toMatchObject({ contract: { hash: '' }, money_moved: null, refund: null });
  });

  it('whose contract is unknown is answered too', () => {
    const unknown = { code: 'contract_unknown' as const, detail: 'contract: was x, should be one of …' };
    expect(play(shipped, [started('op-1', 0, { refused: unknown })]).last()).toMatchObject({
      reason: 'contract_unknown',
    });
  });

  it('gives way to the corrected start', () => {
    const log = [started('op-1', 0, { amount: '10.0', refused }), started('op-1', 5)];
    for (const order of [log, [...log].reverse()]) {
      const played = play(shipped, order);
      expect(played.last()).toMatchObject({ verdict: 'PENDING', findings: [] });
      expect(played.step.rejections).toEqual([]);
    }
  });

  it('can be decided by a reviewer', () => {
    const played = play(shipped, [started('op-1', 0, { refused }), reviewed('op-1', 60, 1, 'FAILED')]);
    expect(played.last()).toMatchObject({ verdict: 'FAILED', basis: 'review', revision: 2 });
  });

  it('of a contract that is no longer in use says so', () => {
    expect(play(shipped, [started('op-1', 0, { version: '9.9.9' })]).last()).toMatchObject({
      verdict: 'UNVERIFIABLE',
      reason: 'contract_unknown',
      detail: expect.stringContaining('9.9.9'),
    });
  });
});

describe('two starts of one id that disagree', () => {
  const log = [started('op-1', 0), started('op-1', 5, { amount: '99.00' })];

  it.each([
    ['in order', log],
    ['in reverse', [...log].reverse()],
  ])('%s: the one created first stands, the other is rejected, and the verdict says so', (_, order) => {
    const played = play(shipped, [...order, ...good.slice(1)]);
    expect(played.last()).toMatchObject({
      verdict: 'VERIFIED',
      input: { amount: '10.00' },
      findings: [{ code: 'operation_conflict' }],
    });
    expect(played.step.rejections).toMatchObject([{ index: 1, code: 'OPERATION_CONFLICT' }]);
  });

  it('are one start where they agree: the earliest created_at stands', () => {
    const played = play(shipped, [started('op-1', 5), started('op-1', 0), started('op-1', 9)]);
    expect(played.step.rejections).toEqual([]);
    expect(played.state.operations['op-1']?.start?.at).toBe(at(0));
    expect(played.verdicts).toHaveLength(1);
  });

  it('stop being rivals when a rival turns out to be first', () => {
    const played = play(shipped, [...log, started('op-1', -5, { amount: '99.00' })]);
    expect(played.state.operations['op-1']?.start?.input).toMatchObject({ amount: '99.00' });
    expect(played.state.operations['op-1']?.rivals.map(({ at: when }) => when)).toEqual([at(0)]);
  });
});

describe("a reviewer's decision", () => {
  const lost = [started('op-1', 0), actionFailed('op-1', 30), event('R1', 34, { created: 2 })];

  it('stands while the evidence gives PENDING or UNVERIFIABLE', () => {
    const played = play(shipped, [...lost, reviewed('op-1', 4 * DAY, 2, 'VERIFIED')]);
    expect(played.last()).toMatchObject({
      verdict: 'VERIFIED',
      basis: 'review',
      reason: 'decided_by_reviewer',
      detail: expect.stringContaining('alice decided'),
      escalated_to: null,
    });
  });

  it('stands over the verdict that it answers', () => {
    const double = [...good, event('R2', 60)];
    const played = play(shipped, [...double, reviewed('op-1', 600, 3, 'VERIFIED')]);
    expect(played.last()).toMatchObject({ verdict: 'VERIFIED', basis: 'review', revision: 4 });
  });

  it('keeps the class of the contradiction that it confirms over the clock', () => {
    const decided = reviewed('op-1', 100, 1, 'CONTRADICTED');
    expect(play(shipped, [...lost, decided], 200).last()).toMatchObject({
      verdict: 'CONTRADICTED',
      basis: 'review',
      class: null,
    });
  });

  describe('on a failure that a person was asked about', () => {
    const set = smallSet({
      verified: [condition({ path: '$observed.refund_readback.status', operator: 'eq', expected: 'COMPLETED' })],
      states: [
        {
          name: 'refund_failed',
          match: { path: '$observed.refund_readback.status', operator: 'eq', expected: 'FAILED' },
          verdict: 'FAILED',
          reason: 'It failed.',
          advice: 'ask_person',
          escalate_to: 'person',
        },
      ],
    });
    const lost = started('op-1', 0, SMALL);
    const bound = [lost, acted('op-1', 1, 'R1')];
    const success = read('op-1', 30, 'R1', { created: 1 });
    const failure = read('op-1', 5000, 'R1', { status: 'FAILED', created: 1, updated: 4990 });
    const told = (log: Parameters<typeof play>[1]) =>
      play(set, log).verdicts.map(({ verdict, escalated_to }) => [verdict, escalated_to]);

    it('takes it off the queue where it agrees', () => {
      expect(told([...bound, success, failure, reviewed('op-1', 6000, 3, 'FAILED')])).toEqual([
        ['PENDING', null],
        ['VERIFIED', null],
        ['FAILED', 'person'],
        ['FAILED', null],
      ]);
    });

    it('need not be made again for a failure that comes after it', () => {
      const log = [...bound, reviewed('op-1', 4000, 2, 'FAILED'), failure];
      expect(told(log)).toEqual([
        ['PENDING', null],
        ['UNVERIFIABLE', 'support'],
        ['FAILED', null],
        ['FAILED', null],
      ]);
    });

    it('does not answer for a failure after a success that it knew nothing of', () => {
      const log = [...bound, reviewed('op-1', 4000, 2, 'FAILED'), { ...success, at: at(4500) }, failure];
      expect(told(log).slice(2)).toEqual([
        ['FAILED', null],
        ['VERIFIED', 'person'],
        ['FAILED', 'person'],
      ]);
    });

    it('answers only what was asked of this operation', () => {
      const stray = { ...reviewed('op-1', 6000, 3, 'FAILED'), answers: `paypal:merchant-1:${CAPTURE}/op-1:99` };
      expect(told([...bound, success, failure, stray]).at(-1)).toEqual(['FAILED', 'person']);
    });
  });

  it('gives way to other evidence, and the review is open again', () => {
    const decided = reviewed('op-1', 100, 1, 'FAILED');
    const proof = [acted('op-1', 200, 'R1'), read('op-1', 300, 'R1', { created: 2 })];
    const played = play(shipped, [...lost, decided, ...proof], 400);
    expect(played.last()).toMatchObject({ verdict: 'VERIFIED', basis: 'evidence', escalated_to: 'person' });
    expect(played.last().detail).toContain('decided FAILED');
  });

  it('that agrees with the evidence changes nothing', () => {
    expect(play(shipped, [...good, reviewed('op-1', 100, 2, 'VERIFIED')]).revisions()).toHaveLength(2);
  });

  it('counts by its own time: the latest stands', () => {
    const two = [reviewed('op-1', 200, 1, 'FAILED'), reviewed('op-1', 100, 1, 'VERIFIED')];
    expect(play(shipped, [...lost, ...two]).last().verdict).toBe('FAILED');
    const same = [reviewed('op-1', 100, 1, 'FAILED'), reviewed('op-1', 100, 1, 'VERIFIED')];
    expect(play(shipped, [...lost, ...same]).last().verdict).toBe(
      play(shipped, [...lost, ...same.reverse()]).last().verdict,
    );
  });

  it('of another operation is rejected', () => {
    const stray = { ...reviewed('op-1', 100, 1, 'FAILED'), answers: 'paypal:merchant-1:OTHER/op-1:1' };
    expect(play(shipped, [...lost, stray]).step.rejections).toMatchObject([{ code: 'REVIEW_MISADDRESSED', index: 3 }]);
    const numbered = { ...stray, answers: `paypal:merchant-1:${CAPTURE}/op-1:x` };
    expect(play(shipped, [...lost, numbered]).step.rejections).toHaveLength(1);
  });
});

describe('limits', () => {
  it('past 200 refunds of a payment nothing is verified any more', () => {
    const crowd = Array.from({ length: 205 }, (_, index) => event(`X${index}`, 2, { amount: '1.00' }));
    const played = play(
      shipped,
      [
        started('op-1', 0),
        acted('op-1', 1, 'R1'),
        ...crowd,
        event('R1', 4, { created: 1 }),
        read('op-1', 30, 'R1', { created: 1 }),
      ],
      600,
    );
    expect(Object.keys(played.state.refunds)).toHaveLength(200);
    expect(played.last()).toMatchObject({ verdict: 'UNVERIFIABLE', reason: 'state_limit', escalated_to: 'person' });
    expect(played.last().findings.length).toBeLessThanOrEqual(50);
  });

  it('past 1,000 events the payment is marked', () => {
    const crowd = Array.from({ length: 1001 }, (_, index) => event('R1', 2, { eventId: `WH-${index}` }));
    expect(play(shipped, crowd)).toMatchObject({ state: { isLimited: true, events: { length: 1000 } } });
  });

  it('remembers the last 32 revisions', () => {
    const flips = Array.from({ length: 40 }, (_, index) =>
      read('op-1', 100 + index, 'R1', {
        status: index % 2 === 0 ? 'FAILED' : 'COMPLETED',
        created: 1,
        updated: 100 + index,
      }),
    );
    const played = play(shipped, [...good, ...flips]);
    expect(played.state.operations['op-1']?.published).toHaveLength(32);
    expect(played.last().revision).toBe(42);
  });
});

describe('a decided verdict', () => {
  it('is published again for each further duplicate', () => {
    const played = play(shipped, [...good, event('R2', 60), event('R3', 400)], 900);
    expect(played.verdicts.map(({ verdict, duplicates }) => [verdict, duplicates.count])).toEqual([
      ['PENDING', 0],
      ['VERIFIED', 0],
      ['CONTRADICTED', 1],
      ['CONTRADICTED', 2],
    ]);
    expect(played.last().duplicates.ids).toEqual(['R2', 'R3']);
  });

  it('is published again when it becomes known that the money moved', () => {
    const wrong = read('op-1', 2, 'R1', { amount: '12.00', status: 'PENDING', created: 1, updated: 2 });
    const played = play(shipped, [
      ...good.slice(0, 2),
      wrong,
      event('R1', 9, { amount: '12.00', created: 1, updated: 8 }),
    ]);
    expect(played.verdicts.map(({ verdict, money_moved: moved }) => [verdict, moved])).toEqual([
      ['PENDING', null],
      ['CONTRADICTED', null],
      ['CONTRADICTED', true],
    ]);
  });

  it('says nothing of money for a refund older than the operation', () => {
    const log = [started('op-1', 0), acted('op-1', 1, 'R1'), read('op-1', 30, 'R1', { created: -900 })];
    expect(play(shipped, log).last()).toMatchObject({ reason: 'refund_predates_operation', money_moved: null });
  });
});

describe('what a verdict tells beside its judgement', () => {
  it('is told when it comes: a reversal after VERIFIED', () => {
    const reversal = event('RV', 4000, { type: 'PAYMENT.CAPTURE.REVERSED', role: 'reversal' });
    const played = play(shipped, [...good, reversal]);
    expect(played.revisions().at(-1)).toBe('VERIFIED all_conditions_hold');
    expect(played.last()).toMatchObject({ revision: 3, findings: [{ code: 'reversal_seen' }] });
  });

  it('is told when a window makes it true: a refund of another amount that nobody claims', () => {
    const played = play(shipped, [...good, event('R2', 60, { amount: '3.00' })], 600);
    expect(played.last()).toMatchObject({
      verdict: 'VERIFIED',
      findings: [{ code: 'unclaimed_refund', refund_id: 'R2' }],
    });
    expect(played.last().decided_at).toBe('2026-09-01T12:03:00.000Z');
  });

  it('takes the advice to retry back when a live refund is seen beside the failure', () => {
    const failed = read('op-1', 40, 'R1', { status: 'FAILED', created: 1, updated: 35 });
    const played = play(shipped, [started('op-1', 0), acted('op-1', 1, 'R1'), failed, event('R2', 300)]);
    expect(played.verdicts.map(({ verdict, advice }) => [verdict, advice])).toEqual([
      ['PENDING', 'wait'],
      ['FAILED', 'retry_same_key'],
      ['FAILED', 'ask_person'],
    ]);
  });
});

describe('the refund that a verdict names', () => {
  it('is told when it becomes another one', () => {
    const failed = event('R1', 100, { status: 'FAILED', type: 'PAYMENT.REFUND.FAILED', created: 1, updated: 99 });
    const failedRead = read('op-1', 101, 'R1', { status: 'FAILED', created: 1, updated: 99 });
    const second = [
      acted('op-1', 200, 'R2'),
      read('op-1', 230, 'R2', { status: 'FAILED', created: 200, updated: 225 }),
    ];
    const played = play(shipped, [...good, failed, failedRead, ...second], 400);
    expect(played.verdicts.at(-1)).toMatchObject({ verdict: 'FAILED', refund: { id: 'R1' } });
    const alive = [
      event('R2', 500, { created: 200, updated: 490 }),
      read('op-1', 501, 'R2', { created: 200, updated: 490 }),
    ];
    expect(play(shipped, [...good, failed, failedRead, ...second, ...alive], 900).last()).toMatchObject({
      verdict: 'VERIFIED',
      refund: { id: 'R2' },
    });
  });
});

describe('a decision and what came after it', () => {
  const DAYS = 86_400;
  const unseen = [started('op-1', 0), acted('op-1', 1, 'R1'), read('op-1', 30, 'R1', { created: 1 })];

  it('of VERIFIED does not stand over a failure that came after the question was put', () => {
    const decided = reviewed('op-1', 8 * DAYS, 2, 'VERIFIED');
    const failure = event('R1', 8 * DAYS + 9, {
      type: 'PAYMENT.REFUND.FAILED',
      status: 'FAILED',
      created: 1,
      updated: 8 * DAYS,
    });
    const played = play(shipped, [...unseen, decided, failure]);
    expect(played.verdicts.at(-2)).toMatchObject({ verdict: 'VERIFIED', basis: 'review' });
    expect(played.last()).toMatchObject({
      verdict: 'UNVERIFIABLE',
      basis: 'evidence',
      money_moved: false,
      escalated_to: 'person',
    });
  });

  it('made before the operation began answers nothing', () => {
    expect(play(shipped, [started('op-1', 100), reviewed('op-1', 50, 1, 'VERIFIED')]).last().verdict).toBe('PENDING');
  });

  it('is asked again where UNVERIFIABLE said that the money moved and a failure comes', () => {
    const failure = event('R1', 8 * DAYS, {
      type: 'PAYMENT.REFUND.FAILED',
      status: 'FAILED',
      created: 1,
      updated: 8 * DAYS,
    });
    const played = play(shipped, [...unseen, failure]);
    expect(played.verdicts.map(({ verdict, money_moved: moved }) => [verdict, moved]).slice(-2)).toEqual([
      ['UNVERIFIABLE', true],
      ['UNVERIFIABLE', false],
    ]);
  });
});

describe('the duplicates that a verdict names', () => {
  it('are told again when it becomes known which refund is its own', () => {
    const doubled = [started('op-1', 0), event('R1', 5), event('R2', 6)];
    const played = play(shipped, [...doubled, acted('op-1', 300, 'R2')], 400);
    expect(
      played.verdicts.filter(({ verdict }) => verdict === 'CONTRADICTED').map(({ duplicates }) => duplicates.ids),
    ).toEqual([['R2'], ['R1']]);
  });
});
