import { describe, expect, it } from 'vitest';
import { applyObservation } from '../../../src/evaluator/apply.ts';
import { emptyPayment, type Observation, type PaymentState } from '../../../src/evaluator/index.ts';
import {
  acted,
  actionFailed,
  at,
  event,
  list,
  PAYPAL,
  read,
  refundFacts,
  reviewed,
  started,
} from '../../support/story.ts';

const recorded = (...observations: readonly Observation[]): PaymentState =>
  observations.reduce((state, one) => applyObservation(state, one).state, emptyPayment(PAYPAL));

const operation = (...observations: readonly Observation[]) => recorded(...observations).operations['op-1'];

describe('recording an action', () => {
  it('keeps one of two equal answers: the earlier', () => {
    const answer = acted('op-1', 5, 'R1');
    const earlier = { ...answer, at: at(2) };
    expect(operation(answer, earlier, answer)?.actions.map((one) => one.at)).toEqual([at(2)]);
    expect(operation(earlier, answer)?.actions.map((one) => one.at)).toEqual([at(2)]);
  });

  it('keeps answers in the order of time, then of digest', () => {
    const [a, b] = [
      { ...acted('op-1', 5, 'R1'), sha256: 'a' },
      { ...acted('op-1', 5, 'R1'), sha256: 'b' },
    ];
    expect(operation(b, a, actionFailed('op-1', 2))?.actions.map((one) => one.at)).toEqual([at(2), at(5), at(5)]);
    expect(operation(b, a)?.actions.map((one) => one.sha256)).toEqual(['a', 'b']);
    expect(operation(a, b)?.actions.map((one) => one.sha256)).toEqual(['a', 'b']);
  });
});

describe('recording an event', () => {
  it('counts repeats by refund, and those that name none together', () => {
    const nameless = { ...event('R1', 4), facts: null, dedupeKey: 'nameless' };
    const state = recorded(event('R1', 4), event('R1', 4), nameless, nameless, nameless);
    expect(state.dropped).toEqual({ R1: 1, '': 2 });
    expect(state.events.map(({ refundId, status }) => [refundId, status])).toContainEqual([null, null]);
  });

  it('lets the first of its repeats stand', () => {
    const [late, early] = [event('R1', 9), event('R1', 4)];
    expect(recorded(late, early).events[0]?.at).toBe(at(4));
    expect(recorded(early, late).events[0]?.at).toBe(at(4));
    const twin = { ...early, sha256: '0' };
    expect(recorded(early, twin).events[0]?.sha256).toBe('0');
    expect(recorded(twin, early).events[0]?.sha256).toBe('0');
  });

  it('orders events of one instant by their key', () => {
    const [a, b] = [
      { ...event('R1', 4), dedupeKey: 'a' },
      { ...event('R2', 4), dedupeKey: 'b' },
    ];
    expect(recorded(a, b).events).toEqual(recorded(b, a).events);
  });

  it('knows no refund by one that moved no money', () => {
    const restock = { ...event('R1', 4), facts: { ...refundFacts('R1', 4, {}), state: 'no_money' as const } };
    expect(recorded(restock).refunds).toEqual({});
    expect(recorded(restock).events).toHaveLength(1);
  });
});

describe('recording a read', () => {
  const polls = (...observations: readonly Observation[]) => operation(...observations)?.polls['refund_readback'];

  it('counts answers as attempts, by the highest number that one carried', () => {
    expect(polls(read('op-1', 10, 'R1', { attempt: 2 }), read('op-1', 5, 'R1', { attempt: 1 }))).toEqual({
      attempts: 2,
      answeredAt: at(10),
      erroredAt: null,
      retryAt: null,
    });
    expect(polls(read('op-1', 10, 'R1', { outcome: 'absent' }))?.attempts).toBe(1);
  });

  it('counts no error as an attempt, and keeps the latest time that the provider asked to wait for', () => {
    const limited = read('op-1', 10, 'R1', { outcome: 'error', retryAfterMs: 60_000 });
    const plain = read('op-1', 20, 'R1', { outcome: 'error' });
    const silent = { ...plain, at: at(30), error: null };
    expect(polls(limited, plain, silent)).toEqual({
      attempts: 0,
      answeredAt: null,
      erroredAt: at(30),
      retryAt: at(70),
    });
    expect(polls(read('op-1', 40, 'R1', { outcome: 'error', retryAfterMs: 1 }), limited)?.retryAt).toBe(at(70));
  });

  it('belongs to the refund that answered, and to none where another was asked for', () => {
    expect(Object.keys(recorded(read('op-1', 10, 'R1', { bodyId: 'R2' })).refunds)).toEqual([]);
    const unasked = { ...read('op-1', 10, 'R1', { bodyId: 'R2' }), resourceId: null };
    expect(Object.keys(recorded(unasked).refunds)).toEqual(['R2']);
  });

  it('whose answer holds no refund records only that it was made', () => {
    const odd = { ...read('op-1', 10, 'R1'), facts: [] };
    expect(recorded(odd).refunds).toEqual({});
    expect(polls(odd)?.answeredAt).toBe(at(10));
    expect(recorded({ ...read('op-1', 10, 'R1'), body: null }).refunds).toEqual({});
  });
});

describe('recording a list', () => {
  it('keeps the latest, by time and then by digest', () => {
    const [early, late] = [list('op-1', 10, []), list('op-1', 20, [])];
    expect(recorded(late, early).lists['payment_readback']?.at).toBe(at(20));
    expect(recorded(early, late).lists['payment_readback']?.at).toBe(at(20));
    const [a, b] = [
      { ...early, sha256: 'a' },
      { ...early, sha256: 'b' },
    ];
    expect(recorded(a, b).lists).toEqual(recorded(b, a).lists);
    expect(recorded(a, b).lists['payment_readback']?.sha256).toBe('b');
  });

  it('of which more pages follow tells of its refunds and of no absence', () => {
    const page = { ...list('op-1', 10, [refundFacts('R1', 5, {})]), isPartial: true };
    const state = recorded(page);
    expect(state.lists).toEqual({});
    expect(state.refunds['R1']?.listed?.facts.status).toBe('COMPLETED');
  });

  it('knows no refund by one that moved no money', () => {
    const restock = { ...refundFacts('R2', 5, {}), state: 'no_money' as const };
    const state = recorded(list('op-1', 10, [refundFacts('R1', 5, {}), restock]));
    expect(Object.keys(state.refunds)).toEqual(['R1']);
    expect(state.lists['payment_readback']?.refundIds).toEqual(['R1', 'R2']);
  });
});

describe('recording again', () => {
  it.each<[string, Observation]>([
    ['a start', started('op-1', 0)],
    ['an action', acted('op-1', 1, 'R1')],
    ['a read', read('op-1', 10, 'R1')],
    ['a list', list('op-1', 10, [refundFacts('R1', 5, {})])],
    ['a review', reviewed('op-1', 20, 1, 'VERIFIED')],
  ])('%s changes nothing', (_, one) => {
    expect(recorded(one, one)).toEqual(recorded(one));
  });
});
