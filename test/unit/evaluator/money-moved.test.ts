import { describe, expect, it } from 'vitest';
import { shipped } from '../../support/contracts.ts';
import { acted, event, play, read, started } from '../../support/story.ts';

/** Of an amount that the operation did not mean: told at once, whatever the status says. */
const OTHER_AMOUNT = { amount: '4.00', created: 1 } as const;
const begun = [started('op-1', 0), acted('op-1', 1, 'R1')];

describe('whether the money moved', () => {
  it('is not known by a read that came too soon to disprove, and is denied by a later one', () => {
    const soon = read('op-1', 10, 'R1', { ...OTHER_AMOUNT, status: 'FAILED' });
    const told = play(shipped, [...begun, soon]);
    expect(told.last()).toMatchObject({ verdict: 'CONTRADICTED', money_moved: null });
    const later = read('op-1', 40, 'R1', { ...OTHER_AMOUNT, status: 'FAILED', updated: 30 });
    expect(play(shipped, [...begun, soon, later]).last()).toMatchObject({ money_moved: false });
  });

  it('is denied at once by the provider’s own event', () => {
    const failed = event('R1', 10, { ...OTHER_AMOUNT, status: 'FAILED' });
    const answer = read('op-1', 40, 'R1', { ...OTHER_AMOUNT, status: 'FAILED', updated: 10 });
    expect(play(shipped, [...begun, failed, answer]).last()).toMatchObject({ money_moved: false });
  });

  it('is said of the wrong amount too', () => {
    const answer = read('op-1', 10, 'R1', OTHER_AMOUNT);
    expect(play(shipped, [...begun, answer]).last()).toMatchObject({ verdict: 'CONTRADICTED', money_moved: true });
  });

  it('is not said by the action’s own word', () => {
    expect(play(shipped, begun).last().money_moved).toBeNull();
  });

  it('is not said by a refund that is older than the operation, nor denied by it', () => {
    for (const status of ['COMPLETED', 'FAILED']) {
      const old = read('op-1', 40, 'R1', { status, created: -3600, updated: -3500 });
      expect(play(shipped, [...begun, old]).last()).toMatchObject({
        verdict: 'CONTRADICTED',
        reason: 'refund_predates_operation',
        money_moved: null,
      });
    }
  });

  it('is said to one of two operations that claim the same refund', () => {
    const good = [event('R1', 4, { created: 1 }), read('op-1', 60, 'R1', { created: 1 })];
    const played = play(shipped, [...begun, started('op-2', 20), acted('op-2', 21, 'R1'), ...good]);
    const last = (id: string) => played.verdicts.findLast(({ operation_id: of }) => of === id);
    expect(last('op-1')).toMatchObject({ verdict: 'VERIFIED', money_moved: true });
    expect(last('op-2')).toMatchObject({ verdict: 'CONTRADICTED', money_moved: null });
  });
});
