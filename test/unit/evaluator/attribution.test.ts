import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../src/evaluator/index.ts';
import { shipped } from '../../support/contracts.ts';
import {
  acted,
  actionFailed,
  event,
  list,
  play,
  read,
  refundFacts,
  type StartGiven,
  started,
} from '../../support/story.ts';

/** One good refund: start, answer, event, readback. */
const good = (id: string, seconds: number, refundId: string, start: StartGiven = {}): Observation[] => {
  const amount = start.amount ?? '10.00';
  return [
    started(id, seconds, start),
    acted(id, seconds + 1, refundId),
    event(refundId, seconds + 4, { created: seconds + 1, amount }),
    read(id, seconds + 30, refundId, { created: seconds + 1, amount }),
  ];
};

const run = (observations: readonly Observation[], until = 600) => play(shipped, observations, until);

describe('duplicates are counted by refund, not by delivery', () => {
  it('verifies one good refund', () => {
    const last = run(good('op-1', 0, 'R1')).last();
    expect(last).toMatchObject({ verdict: 'VERIFIED', reason: 'all_conditions_hold', money_moved: true, class: null });
    expect(last.duplicates).toEqual({ ids: [], count: 0 });
    expect(last.refunds_seen).toEqual({ ids: ['R1'], count: 1 });
  });

  it('does not count a redelivered event, nor a second event of the same refund', () => {
    const played = run([
      ...good('op-1', 0, 'R1'),
      event('R1', 5, { created: 1 }),
      event('R1', 6, { created: 1, eventId: 'WH-other' }),
    ]);
    expect(played.last()).toMatchObject({ verdict: 'VERIFIED', duplicates: { count: 0 } });
    expect(played.state.dropped).toEqual({ R1: 1 });
  });

  it('contradicts a second refund of the same amount that nobody owns, after the attribution window', () => {
    const played = run([...good('op-1', 0, 'R1'), event('R2', 60)]);
    expect(played.last()).toMatchObject({
      verdict: 'CONTRADICTED',
      class: 'duplicate_side_effect',
      reason: 'duplicate_refund_present',
      money_moved: true,
      advice: 'do_not_retry',
      duplicates: { ids: ['R2'], count: 1 },
    });
  });

  it('keeps VERIFIED published while the window of an unowned refund runs, and judges when it ends', () => {
    const played = run([...good('op-1', 0, 'R1'), event('R2', 60)]);
    expect(played.revisions()).toEqual([
      'PENDING awaiting_evidence',
      'VERIFIED all_conditions_hold',
      'CONTRADICTED duplicate_refund_present',
    ]);
    expect(played.last().decided_at).toBe('2026-09-01T12:03:00.000Z');
  });

  it('holds VERIFIED back while the count is open', () => {
    const before = [started('op-1', 0), acted('op-1', 1, 'R1'), event('R2', 20), event('R1', 22, { created: 1 })];
    const played = play(shipped, [...before, read('op-1', 30, 'R1', { created: 1 })], 31);
    expect(played.last()).toMatchObject({ verdict: 'PENDING' });
    const duplicate = played.step.verdicts.at(-1)?.conditions.find(({ name }) => name === 'duplicate_refund_present');
    expect(duplicate?.result).not.toBe('true');
  });

  it('does not count a refund whose own operation reports it within the window', () => {
    const played = run([...good('op-1', 0, 'R1'), event('R2', 60), started('op-2', 50), acted('op-2', 70, 'R2')]);
    expect(played.last('op-1').verdict).toBe('VERIFIED');
    expect(played.revisions('op-1')).toEqual(['PENDING awaiting_evidence', 'VERIFIED all_conditions_hold']);
  });

  it('takes back a double when its own operation reports the refund late', () => {
    const played = run(
      [...good('op-1', 0, 'R1'), ...good('op-2', 300, 'R2').slice(2), started('op-2', 300), acted('op-2', 500, 'R2')],
      900,
    );
    expect(played.last('op-1').verdict).toBe('VERIFIED');
    expect(played.last('op-2').verdict).toBe('VERIFIED');
  });

  it('finds an unowned refund of another amount unclaimed, and verifies', () => {
    const played = run([
      started('op-1', 0),
      acted('op-1', 1, 'R1'),
      event('R2', 2, { amount: '3.00' }),
      event('R1', 4, { created: 1 }),
      read('op-1', 200, 'R1', { created: 1 }),
    ]);
    expect(played.last()).toMatchObject({
      verdict: 'VERIFIED',
      findings: [{ code: 'unclaimed_refund', refund_id: 'R2' }],
    });
  });

  it('does not count a refund made before the operation', () => {
    const played = run([event('R0', -3000), ...good('op-1', 0, 'R1')]);
    expect(played.last()).toMatchObject({ verdict: 'VERIFIED', refunds_seen: { ids: ['R1'] } });
  });

  it('does not count a dead refund, and restores VERIFIED when the extra one dies', () => {
    const played = run(
      [
        ...good('op-1', 0, 'R1'),
        event('R2', 60),
        event('R2', 400, { status: 'FAILED', type: 'PAYMENT.REFUND.FAILED', created: 60 }),
      ],
      900,
    );
    expect(played.revisions()).toEqual([
      'PENDING awaiting_evidence',
      'VERIFIED all_conditions_hold',
      'CONTRADICTED duplicate_refund_present',
      'VERIFIED all_conditions_hold',
    ]);
  });

  it('does not count a reversal: it is a finding', () => {
    const reversal = event('RV', 10, { type: 'PAYMENT.CAPTURE.REVERSED', role: 'reversal' });
    const played = run([started('op-1', 0), reversal, ...good('op-1', 0, 'R1').slice(1)]);
    expect(played.last()).toMatchObject({ verdict: 'VERIFIED', findings: [{ code: 'reversal_seen' }] });
  });

  it('counts a refund that only a list knows', () => {
    const listed = [refundFacts('R1', 1, {}), refundFacts('R2', 20, {})];
    const played = run([...good('op-1', 0, 'R1'), list('op-1', 40, listed)]);
    expect(played.last()).toMatchObject({ verdict: 'CONTRADICTED', duplicates: { ids: ['R2'], count: 1 } });
  });

  it('does not verify beside a listed refund of which only the id is known', () => {
    const bare = refundFacts('R2', 20, {
      amount: null,
      currency: null,
      created: null,
      updated: null,
      status: 'UNHEARD',
    });
    const played = run([
      ...good('op-1', 0, 'R1').slice(0, 3),
      list('op-1', 20, [bare]),
      read('op-1', 30, 'R1', { created: 1 }),
    ]);
    expect(played.last().verdict).toBe('PENDING');
    expect(played.step.reads).toContainEqual(expect.objectContaining({ resourceId: 'R2', purpose: 'candidate' }));
  });
});

describe('two operations of one payment', () => {
  it('are two equal partial refunds where the second started after the first was known', () => {
    const played = run([...good('op-1', 0, 'R1'), ...good('op-2', 100, 'R2')]);
    expect([played.last('op-1').verdict, played.last('op-2').verdict]).toEqual(['VERIFIED', 'VERIFIED']);
  });

  it('are a double where the second started before the first was known', () => {
    const played = run([...good('op-1', 0, 'R1'), ...good('op-2', 0.5, 'R2')]);
    for (const id of ['op-1', 'op-2']) {
      expect(played.last(id)).toMatchObject({
        verdict: 'CONTRADICTED',
        class: 'duplicate_side_effect',
        duplicates: { count: 1 },
      });
    }
  });

  it('are a double where both started at the same instant', () => {
    const played = run([...good('op-1', 0, 'R1'), ...good('op-2', 0, 'R2')]);
    for (const id of ['op-1', 'op-2']) {
      expect(played.last(id)).toMatchObject({ verdict: 'CONTRADICTED', class: 'duplicate_side_effect' });
    }
  });

  it('are not a double when they carry different intent_refs', () => {
    const first = good('op-1', 0, 'R1', { input: { intent_ref: 'line-1' } });
    const played = run([...first, ...good('op-2', 0.5, 'R2', { input: { intent_ref: 'line-2' } })]);
    expect([played.last('op-1').verdict, played.last('op-2').verdict]).toEqual(['VERIFIED', 'VERIFIED']);
  });

  it('are not a double when their amounts differ', () => {
    const played = run([...good('op-1', 0, 'R1'), ...good('op-2', 0.5, 'R2', { amount: '4.00' })]);
    expect([played.last('op-1').verdict, played.last('op-2').verdict]).toEqual(['VERIFIED', 'VERIFIED']);
  });

  it('are not a double when the second moved no money', () => {
    const facts = { ...refundFacts('R2', 1.5, {}), state: 'no_money' as const };
    const restock = { ...acted('op-2', 1.5, 'R2'), facts };
    const played = run([...good('op-1', 0, 'R1'), started('op-2', 0.5), restock]);
    expect(played.last('op-1')).toMatchObject({ verdict: 'VERIFIED', refunds_seen: { ids: ['R1'], count: 1 } });
  });

  it('cannot both have one refund: the earlier keeps it', () => {
    const second = [started('op-2', 10), acted('op-2', 11, 'R1'), read('op-2', 40, 'R1', { created: 1 })];
    const played = run([...good('op-1', 0, 'R1'), ...second]);
    expect(played.last('op-1').verdict).toBe('VERIFIED');
    expect(played.last('op-2')).toMatchObject({
      verdict: 'CONTRADICTED',
      class: 'pre_existing_state',
      reason: 'refund_claimed_by_other_operation',
      money_moved: null,
    });
  });

  it('leave a refund ambiguous that another open operation without one could own', () => {
    const played = run([
      ...good('op-1', 0, 'R1'),
      started('op-2', 100),
      actionFailed('op-2', 130),
      event('R2', 140, { created: 129 }),
      read('op-1', 400, 'R1', { created: 1 }),
    ]);
    expect(played.last('op-1').verdict).toBe('VERIFIED');
    expect(played.last('op-2')).toMatchObject({ verdict: 'PENDING', correlation: null });
  });

  it('cannot be told apart where the retry was blind and an answer was lost: neither is verified', () => {
    const lost = [started('op-1', 0), actionFailed('op-1', 5), event('R1', 6, { created: 3 })];
    const played = run([...lost, ...good('op-2', 10, 'R2')], 4 * 86_400);
    expect(played.last('op-1').verdict).toBe('UNVERIFIABLE');
    expect(played.last('op-2')).toMatchObject({
      verdict: 'UNVERIFIABLE',
      findings: [{ code: 'ambiguous_owner', refund_id: 'R1' }],
    });
  });

  it('verify the retry when the lost attempt left no refund', () => {
    const played = run([started('op-1', 0), actionFailed('op-1', 5), ...good('op-2', 10, 'R2')]);
    expect(played.last('op-2').verdict).toBe('VERIFIED');
  });
});

describe('one operation', () => {
  it('that reports a second live refund is a double', () => {
    const played = run([...good('op-1', 0, 'R1'), acted('op-1', 20, 'R2'), event('R2', 24, { created: 20 })]);
    expect(played.last()).toMatchObject({ verdict: 'CONTRADICTED', duplicates: { ids: ['R2'], count: 1 } });
  });

  it('that retried after its first refund failed is bound to the second', () => {
    const failed = event('R1', 10, { status: 'FAILED', type: 'PAYMENT.REFUND.FAILED', created: 1 });
    const played = run([
      started('op-1', 0),
      acted('op-1', 1, 'R1'),
      failed,
      acted('op-1', 60, 'R2'),
      event('R2', 64, { created: 60 }),
      read('op-1', 90, 'R2', { created: 60 }),
    ]);
    expect(played.last()).toMatchObject({ verdict: 'VERIFIED', refund: { id: 'R2' } });
  });

  it('whose answer was lost shows its candidate and is never verified by it', () => {
    const played = run(
      [
        started('op-1', 0),
        actionFailed('op-1', 30),
        event('R1', 34, { created: 2 }),
        read('op-1', 90, 'R1', { created: 2 }),
      ],
      4 * 86_400,
    );
    expect(played.last()).toMatchObject({
      verdict: 'UNVERIFIABLE',
      reason: 'evidence_unavailable_before_timeout',
      refund: { id: 'R1' },
      correlation: { strategy: 'fingerprint', assurance: 'weak' },
      escalated_to: 'person',
    });
  });

  it('whose key the provider echoes is bound strongly without its answer', () => {
    const played = run([
      started('op-1', 0),
      actionFailed('op-1', 30),
      event('R1', 34, { created: 2, echoes: ['op-1'] }),
      read('op-1', 90, 'R1', { created: 2 }),
    ]);
    expect(played.last()).toMatchObject({
      verdict: 'VERIFIED',
      correlation: { strategy: 'idempotency_key', assurance: 'strong' },
    });
  });

  it('that was declined fails once a list read after the stale window holds no refund', () => {
    const declined = [started('op-1', 0), actionFailed('op-1', 1, 'declined')];
    expect(run([...declined, list('op-1', 10, [])]).last().verdict).toBe('PENDING');
    expect(run([...declined, list('op-1', 30, [])]).last()).toMatchObject({
      verdict: 'FAILED',
      reason: 'provider_holds_no_refund',
      money_moved: false,
    });
    expect(run([...declined, list('op-1', 30, [refundFacts('R1', 2, {})])]).last().verdict).toBe('PENDING');
  });

  it('that timed out does not fail by an empty list', () => {
    const played = run([
      started('op-1', 0),
      actionFailed('op-1', 1),
      actionFailed('op-1', 2, 'declined'),
      list('op-1', 30, []),
    ]);
    expect(played.last().verdict).toBe('PENDING');
  });
});
