import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInstant, printInstant } from '../../../src/evaluator/index.ts';
import { shipped } from '../../support/contracts.ts';
import { acted, event, NOON, play, read, started } from '../../support/story.ts';

describe('an instant', () => {
  it.each([
    ['2026-09-01T12:00:00Z', NOON, 1000],
    ['2026-09-01T12:00:00.350Z', NOON + 350, 1],
    ['2026-09-01T12:00:00.5Z', NOON + 500, 100],
    ['2026-09-01t05:00:00-07:00', NOON, 1000],
    ['2026-09-01 17:30:00.00+05:30', NOON, 10],
    ['2026-09-01T05:00:00-0700', NOON, 1000],
    ['2026-09-01T11:59:60z', NOON, 1000],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29), 1000],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29), 1000],
  ])('%s is read with its offset and its own precision', (text, startMs, grainMs) => {
    expect(parseInstant(text)).toEqual({ startMs, endMs: startMs + grainMs });
  });

  it('keeps fractions finer than a millisecond', () => {
    const instant = parseInstant('2026-09-01T12:00:00.123456Z');
    expect(instant?.startMs).toBeCloseTo(NOON + 123.456, 2);
    expect((instant?.endMs ?? 0) - (instant?.startMs ?? 0)).toBeCloseTo(0.001, 3);
  });

  it.each([
    '',
    '2026-09-01',
    '2026-09-01T12:00:00',
    '2026-13-01T12:00:00Z',
    '2026-00-01T12:00:00Z',
    '2026-02-30T12:00:00Z',
    '2023-02-29T12:00:00Z',
    '1900-02-29T12:00:00Z',
    '2026-09-01T24:00:00Z',
    '2026-09-01T12:60:00Z',
    '2026-09-01T12:00:61Z',
    '2026-09-01T12:00:00.Z',
    '2026-09-01T12:00:00.1234567890123Z',
    '2026-09-01T12:00:00+24:00',
    '2026-09-01T12:00:00+01:60',
    '2026-09-01T12:00:00+1:00',
    '2026-09-01T12:00:00+010',
    '2026-09-01T12:00:00+01:000',
    '2026-09-01T12:00:00+01.00',
    '2026-09-01T12:00:00Zx',
    '2026-09-01T12:00:00?02:00',
    '2026-0a-01T12:00:00Z',
    '1788264000000',
    'Tue Sep 01 2026',
  ])('is not %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it('is what the platform reads and prints, on every day of every year', () => {
    const date = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (day) => {
        expect(parseInstant(day.toISOString())?.startMs).toBe(day.getTime());
        expect(printInstant(day.getTime())).toBe(day.toISOString());
      }),
      { examples: [[new Date('2024-03-01T00:00:00Z')], [new Date('2100-03-01T00:00:00Z')]], numRuns: 1000 },
    );
  });

  it('is printed in milliseconds', () => {
    expect(printInstant(NOON + 350)).toBe('2026-09-01T12:00:00.350Z');
  });

  it('is printed and read as a Date is, whatever day was printed before', () => {
    const anyMs = fc.double({ min: -62_135_596_800_000, max: 253_402_300_799_999, noNaN: true });
    fc.assert(
      fc.property(anyMs, (ms) => {
        const text = new Date(ms).toISOString();
        expect(printInstant(ms)).toBe(text);
        const startMs = Date.parse(text);
        expect(parseInstant(text)).toEqual({ startMs, endMs: startMs + 1 });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a printed time is an interval of its own precision', () => {
  const story = (created: number, version: string) =>
    play(
      shipped,
      [
        started('op-1', 0.35, { version }),
        acted('op-1', 1, 'R1'),
        event('R1', 4, { created }),
        read('op-1', 30, 'R1', { created }),
      ],
      60,
    ).last();

  it('a refund of the same second is not before the operation', () => {
    expect(story(0, '1.0.0').verdict).toBe('VERIFIED');
  });

  it('a refund of the second before is older under the literal contract', () => {
    expect(story(-1, '1.0.0')).toMatchObject({
      verdict: 'CONTRADICTED',
      class: 'pre_existing_state',
      reason: 'refund_predates_operation',
    });
  });

  it('clock skew of up to a minute is not held against a refund under ours', () => {
    expect(story(-50, '1.1.0').verdict).toBe('VERIFIED');
    expect(story(-70, '1.1.0')).toMatchObject({ verdict: 'CONTRADICTED', reason: 'refund_predates_operation' });
  });
});

describe('the stale read window', () => {
  const base = [started('op-1', 0), acted('op-1', 1, 'R1'), event('R1', 4, { created: 1 })];
  const failed = { status: 'FAILED', created: 1 } as const;

  it('lets a read prove', () => {
    expect(play(shipped, [...base, read('op-1', 3, 'R1', { created: 1 })]).last().verdict).toBe('VERIFIED');
  });

  it('does not let a read disprove, and asks for another when the window ends', () => {
    const played = play(shipped, [...base.slice(0, 2), read('op-1', 20.9, 'R1', failed)]);
    expect(played.last().verdict).toBe('PENDING');
    expect(played.last().money_moved).toBeNull();
    expect(played.step.reads[0]?.dueAt).toBeGreaterThanOrEqual(NOON + 21_000);
  });

  it('lets a read disprove from its end on', () => {
    expect(play(shipped, [...base.slice(0, 2), read('op-1', 21, 'R1', failed)]).last()).toMatchObject({
      verdict: 'FAILED',
      reason: 'refund_failed',
      money_moved: false,
      advice: 'retry_same_key',
    });
  });

  it('does not hold back what cannot change: a wrong amount', () => {
    expect(
      play(shipped, [...base.slice(0, 2), read('op-1', 3, 'R1', { created: 1, amount: '12.00' })]).last(),
    ).toMatchObject({
      verdict: 'CONTRADICTED',
      class: 'wrong_amount',
      reason: 'refund_amount_mismatch',
    });
  });

  it('keeps a FAILED refund from counting as dead while it runs', () => {
    const log = [
      ...base,
      read('op-1', 3, 'R1', { created: 1 }),
      event('R2', 5),
      read('op-1', 6, 'R2', { ...failed, updated: 6 }),
    ];
    expect(play(shipped, log, 400).last().verdict).not.toBe('CONTRADICTED');
  });
});

describe('the deadline', () => {
  it('turns PENDING into UNVERIFIABLE at created_at plus the timeout, with the pending reason as detail', () => {
    const day = 86_400;
    const log = [started('op-1', 0), acted('op-1', 1, 'R1'), read('op-1', 40, 'R1', { status: 'PENDING', created: 1 })];
    const played = play(shipped, log, 3 * day);
    expect(played.revisions()).toEqual([
      'PENDING awaiting_evidence',
      'PENDING refund_still_pending',
      'UNVERIFIABLE evidence_unavailable_before_timeout',
    ]);
    expect(played.last()).toMatchObject({
      decided_at: '2026-09-04T12:00:00.000Z',
      escalated_to: 'person',
      advice: 'ask_person',
    });
    expect(played.last().detail).toContain('refund_still_pending');
  });

  it('counts from observe_from where that is given', () => {
    const day = 86_400;
    const played = play(shipped, [started('op-1', 0, { observeFrom: 5 * day })], 8 * day - 1);
    expect(played.last().verdict).toBe('PENDING');
  });

  it('does not end an operation for good: a late success is a revision', () => {
    const day = 86_400;
    const log = [started('op-1', 0), acted('op-1', 1, 'R1')];
    const late = [
      event('R1', 4 * day, { created: 1 }),
      read('op-1', 4 * day + 5, 'R1', { created: 1, updated: 4 * day }),
    ];
    expect(play(shipped, [...log, ...late]).revisions()).toEqual([
      'PENDING awaiting_evidence',
      'UNVERIFIABLE evidence_unavailable_before_timeout',
      'VERIFIED all_conditions_hold',
    ]);
  });
});
