import { describe, expect, it } from 'vitest';
import type { Contract, DueRead, Observation } from '../../../src/evaluator/index.ts';
import { intervalAfter } from '../../../src/evaluator/timing.ts';
import { shipped } from '../../support/contracts.ts';
import { CHANNELS, condition, SMALL, type SmallGiven, smallSet } from '../../support/small-contract.ts';
import {
  acted,
  actionFailed,
  event,
  list,
  NOON,
  play,
  type ReadGiven,
  read,
  refundFacts,
  started,
} from '../../support/story.ts';

const only = (...names: readonly string[]): Contract['channels'] =>
  Object.fromEntries(Object.entries(CHANNELS).filter(([name]) => names.includes(name)));

const REFUND = { channels: only('refund_readback') };
const LIST = { channels: only('refund_readback', 'payment_readback') };

/** The reads wanted after some records: `purpose resource #attempt @seconds`. */
const wanted = (log: readonly Observation[], until?: number, given: SmallGiven = REFUND): string[] =>
  play(smallSet(given), log, until).step.reads.map(
    ({ channel, purpose, resourceId, attempt, dueAt }: DueRead) =>
      `${channel === 'payment_readback' ? 'list ' : ''}${purpose} ${resourceId} #${attempt} @${(dueAt - NOON) / 1000}`,
  );

const BOUND = [started('op-1', 0, SMALL), acted('op-1', 1, 'R1')];
const pending = (seconds: number, attempt: number, given: ReadGiven = {}) =>
  read('op-1', seconds, 'R1', { status: 'PENDING', created: 1, updated: null, attempt, ...given });

describe("the contract's clock", () => {
  it('grows the interval by the factor, up to the maximum', () => {
    const timing = { poll_interval_ms: 30_000, backoff_factor: 2, backoff_max_ms: 100_000 };
    expect([0, 1, 2, 3, 4].map((attempts) => intervalAfter(timing, attempts))).toEqual([
      30_000, 30_000, 60_000, 100_000, 100_000,
    ]);
  });

  it('reads first after the initial delay, counted from when the action was completed', () => {
    expect(wanted(BOUND)).toEqual(['poll R1 #1 @11']);
  });

  it('reads again an interval after each answer', () => {
    expect(wanted([...BOUND, pending(11, 1)])).toEqual(['poll R1 #2 @41']);
    expect(wanted([...BOUND, pending(11, 1), pending(41, 2)])).toEqual(['poll R1 #3 @101']);
    expect(wanted([...BOUND, pending(11, 1, { outcome: 'absent' })])).toEqual(['poll R1 #2 @41']);
  });

  it('counts no error as an attempt, and waits an interval after it', () => {
    expect(wanted([...BOUND, pending(12, 1, { outcome: 'error' })])).toEqual(['poll R1 #1 @42']);
    expect(wanted([...BOUND, pending(12, 1, { outcome: 'error' }), pending(20, 1)])).toEqual(['poll R1 #2 @50']);
  });

  it('waits as long as the provider asks', () => {
    expect(wanted([...BOUND, pending(12, 1, { outcome: 'error', retryAfterMs: 90_000 })])).toEqual(['poll R1 #1 @102']);
  });

  it('reads once more at the deadline when the attempts are spent', () => {
    const spent = [...BOUND, pending(11, 1), pending(41, 2), pending(101, 3)];
    expect(wanted(spent)).toEqual(['deadline R1 #4 @3600']);
    expect(wanted([...spent, pending(3600, 4)])).toEqual([]);
  });

  it('tries the last read again after an error, for an hour', () => {
    const spent = [...BOUND, pending(11, 1), pending(41, 2), pending(101, 3)];
    expect(wanted([...spent, pending(3601, 4, { outcome: 'error' })])).toEqual(['deadline R1 #4 @3631']);
    expect(wanted([...spent, pending(7150, 4, { outcome: 'error' })])).toEqual([]);
  });

  it('polls from when a refund was first seen where no action reported it', () => {
    const correlation: Contract['correlation'] = {
      strategies: [{ strategy: 'echo', assurance: 'strong', keys: { key: '$operation.id' }, required: false }],
    };
    const log = [started('op-1', 0, SMALL), event('R1', 5, { echoes: ['op-1'], status: 'PENDING', updated: null })];
    const after = [...log, read('op-1', 6, 'R1', { status: 'PENDING', updated: null, created: 5, attempt: 1 })];
    expect(wanted(after, undefined, { ...REFUND, correlation })).toEqual(['poll R1 #2 @36']);
  });

  it('stops at an answer that no further read could change', () => {
    expect(wanted([...BOUND, read('op-1', 30, 'R1', { created: 1 })])).toEqual([]);
    expect(wanted([...BOUND, read('op-1', 30, 'R1', { status: 'FAILED', created: 1 })])).toEqual([]);
  });

  it('reads a failure that was read too soon again when the stale window ends', () => {
    const soon = read('op-1', 2, 'R1', { status: 'FAILED', created: 1, attempt: 0 });
    const quick = { ...REFUND, timing: { poll_interval_ms: 1000 } };
    expect(wanted([...BOUND, soon], undefined, quick)).toEqual(['poll R1 #1 @21']);
  });

  it('reads a success that was read too soon to prove or disprove again when the stale window ends', () => {
    const soon = read('op-1', 2, 'R1', { created: 1, attempt: 0 });
    const quick = { ...REFUND, timing: { poll_interval_ms: 1000 } };
    const status = { path: '$observed.refund_readback.status', expected: 'SETTLED' };
    const disproof = { name: 'other', class: 'wrong_amount', reason: 'Other.', ...status, operator: 'ne' } as const;
    const unproven = { ...quick, verified: [condition({ ...status, operator: 'eq' })] };
    expect(wanted([...BOUND, soon], undefined, unproven)).toEqual(['poll R1 #1 @21']);
    expect(wanted([...BOUND, soon], undefined, { ...quick, contradicted: [disproof] })).toEqual(['poll R1 #1 @21']);
    const proven = { ...quick, verified: [condition({ ...status, operator: 'eq', expected: 'COMPLETED' })] };
    expect(wanted([...BOUND, soon], undefined, proven)).toEqual([]);
  });

  it('wants no read of a refund that is past what the state keeps', () => {
    const many = Array.from({ length: 200 }, (_, index) => event(`X${index}`, 2, { amount: '1.00' }));
    expect(wanted([started('op-1', 0, SMALL), ...many, acted('op-1', 3, 'R1')])).toEqual([]);
  });

  it('wants no read before the operation has started', () => {
    expect(wanted([acted('op-1', 1, 'R1')])).toEqual([]);
  });
});

describe('an event newer than the answer', () => {
  /** Under a contract whose one attempt is spent, so that only the event asks. */
  const spent = (log: readonly Observation[]) => wanted(log, undefined, { ...REFUND, timing: { max_attempts: 1 } });
  const settled = [...BOUND, read('op-1', 30, 'R1', { created: 1, updated: 2, attempt: 1 })];
  const failed = (seconds: number, updated: number | null = seconds) =>
    event('R1', seconds, { status: 'FAILED', created: 1, updated });

  it('asks for a read at once, after a settled answer too', () => {
    expect(spent([...settled, failed(500)])).toEqual(['event R1 #2 @500']);
  });

  it('asks again, slower each time, until the answer is as new', () => {
    const older = (seconds: number) => read('op-1', seconds, 'R1', { created: 1, updated: 2, attempt: 1 });
    expect(spent([...settled, failed(500), older(501)])).toEqual(['event R1 #2 @531']);
    expect(spent([...settled, failed(500), older(501), older(560)])).toEqual(['event R1 #2 @620']);
    const newer = read('op-1', 502, 'R1', { status: 'PENDING', created: 1, updated: 501, attempt: 1 });
    expect(spent([...settled, failed(500), newer]).filter((one) => one.startsWith('event'))).toEqual([]);
  });

  it('gives up an hour after the event', () => {
    const limited = read('op-1', 501, 'R1', { outcome: 'error', retryAfterMs: 3_700_000 });
    expect(spent([...settled, failed(500), limited]).filter((one) => one.startsWith('event'))).toEqual([]);
  });

  it('is answered by the same status, or without times by a settled answer made after it', () => {
    const answer = (seconds: number, status: string) =>
      read('op-1', seconds, 'R1', { status, created: 1, updated: null, attempt: 1 });
    const events = (log: readonly Observation[]) => spent(log).filter((one) => one.startsWith('event'));
    expect(events([...BOUND, failed(500, null), answer(501, 'FAILED')])).toEqual([]);
    expect(events([...BOUND, failed(500, null), answer(499, 'COMPLETED')])).toHaveLength(1);
    expect(events([...BOUND, failed(500, null), answer(600, 'COMPLETED')])).toEqual([]);
    expect(events([...BOUND, failed(500, null), answer(600, 'PENDING')])).toHaveLength(1);
  });
});

describe('the search for a candidate', () => {
  const START = started('op-1', 0, SMALL);

  it('reads the list a minute after the start, where no result came', () => {
    expect(wanted([START], undefined, LIST)).toEqual(['list candidate null #1 @70']);
  });

  it("reads the list after the action's first error", () => {
    expect(wanted([START, actionFailed('op-1', 9), actionFailed('op-1', 5)], undefined, LIST)).toEqual([
      'list candidate null #1 @15',
    ]);
  });

  it('reads a refund that agrees with the intent, until it is settled', () => {
    const log = [START, event('R2', 5, { status: 'PENDING', updated: null })];
    expect(wanted(log)).toEqual(['candidate R2 #1 @15']);
    const settled = read('op-1', 20, 'R2', { created: 5, attempt: 1 });
    expect(wanted([...log, settled])).toEqual([]);
  });

  it('reads a refund whose sum in a second currency is not stated', () => {
    const inEuros = event('R2', 4, { amount: '9.00', currency: 'EUR', created: 4 });
    const log = [started('op-1', 0, SMALL), actionFailed('op-1', 5), inEuros];
    expect(wanted(log)).toEqual([]);
    const isOpen = { ...inEuros, facts: { ...refundFacts('R2', 4, { currency: 'EUR' }), otherMoney: null } };
    expect(wanted([...log.slice(0, 2), isOpen])).toEqual(['candidate R2 #1 @14']);
  });

  it('reads each candidate on its own clock', () => {
    const bare = event('R3', 30, { status: 'PENDING', updated: null, created: null });
    const log = [
      START,
      event('R2', 5, { status: 'PENDING', updated: null }),
      bare,
      read('op-1', 31, 'R2', { status: 'PENDING', updated: null, created: 5, attempt: 1 }),
    ];
    expect(wanted(log)).toEqual(['candidate R2 #2 @61', 'candidate R3 #2 @40']);
  });

  it('reads no refund of another amount, nor one that another operation owns', () => {
    const log = [START, started('op-2', 1, SMALL), acted('op-2', 2, 'R2'), event('R3', 5, { amount: '4.00' })];
    expect(wanted(log).filter((one) => one.startsWith('candidate'))).toEqual([]);
  });

  it('reads at most ten refunds that are not known well enough', () => {
    const many = Array.from({ length: 12 }, (_, index) => event(`X${index}`, 5, { amount: null }));
    expect(wanted([START, ...many])).toHaveLength(10);
  });

  it('stops for a refund whose last read is long past', () => {
    const limited = read('op-1', 3500, 'R2', { outcome: 'error', retryAfterMs: 9_000_000 });
    const log = [START, event('R2', 5, { status: 'PENDING', updated: null }), limited];
    expect(wanted(log)).toEqual([]);
  });
});

describe('the list of the payment', () => {
  const settled = [...BOUND, read('op-1', 30, 'R1', { created: 1, attempt: 1 })];

  it('is read once the refund is settled, to count what no event told of', () => {
    expect(wanted(BOUND, undefined, LIST)).toEqual(['poll R1 #1 @11']);
    expect(wanted(settled, undefined, LIST)).toEqual(['list list null #1 @30']);
  });

  it('is not read again once it was read after that, even where it could not be kept', () => {
    const listed = list('op-1', 31, [refundFacts('R1', 1, {})]);
    expect(wanted([...settled, listed], undefined, LIST)).toEqual([]);
    expect(wanted([...settled, { ...listed, isPartial: true }], undefined, LIST)).toEqual([]);
    expect(wanted([...settled, { ...listed, at: NOON + 29_000 }], undefined, LIST)).toEqual(['list list null #2 @30']);
  });

  it('is read for a refund that only an echo bound', () => {
    const correlation: Contract['correlation'] = {
      strategies: [{ strategy: 'echo', assurance: 'strong', keys: { key: '$operation.id' }, required: false }],
    };
    const log = [
      started('op-1', 0, SMALL),
      event('R1', 5, { echoes: ['op-1'] }),
      read('op-1', 30, 'R1', { created: 5 }),
    ];
    expect(wanted(log, undefined, { ...LIST, correlation })).toEqual(['list list null #1 @30']);
  });

  it('is tried again after an error, up to the deadline', () => {
    const failed = (seconds: number) => ({ ...list('op-1', seconds, []), outcome: 'error' as const, body: null });
    expect(wanted([...settled, failed(31)], undefined, LIST)).toEqual(['list list null #1 @61']);
    expect(wanted([...settled, failed(3550)], undefined, LIST)).toEqual([]);
  });

  it('is not read where the input lacks what it needs', () => {
    const channels = (needs: string): Contract['channels'] => ({
      payment_readback: { ...LIST.channels['payment_readback'], needs } as Contract['channels'][string],
    });
    expect(wanted([started('op-1', 0, SMALL)], undefined, { channels: channels('$input.order_id') })).toEqual([]);
    const start = started('op-1', 0, { ...SMALL, input: { order_id: 'O-1' } });
    expect(wanted([start], undefined, { channels: channels('$input.order_id') })).toHaveLength(1);
  });
});

describe('a provider that keeps failing', () => {
  it('is asked ever more seldom, up to the maximum', () => {
    const errors = [3, 8, 13, 23, 43, 83].map((s) => read('op-1', s, 'R1', { outcome: 'error' }));
    const waits = errors.map((_, index) => {
      const { step } = play(shipped, [started('op-1', 0), acted('op-1', 1, 'R1'), ...errors.slice(0, index + 1)]);
      const due = step.reads.find(({ channel }) => channel === 'refund_readback')?.dueAt ?? 0;
      return due - (errors[index]?.at ?? 0);
    });
    expect(waits).toEqual([5000, 5000, 10_000, 20_000, 40_000, 80_000]);
    const late = play(shipped, [
      started('op-1', 0),
      acted('op-1', 1, 'R1'),
      read('op-1', 7200, 'R1', { outcome: 'error' }),
    ]);
    expect(late.step.reads.find(({ channel }) => channel === 'refund_readback')?.dueAt).toBe(NOON + 7_500_000);
  });
});
