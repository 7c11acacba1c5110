import { describe, expect, it } from 'vitest';
import { shipped } from '../../support/contracts.ts';
import { acted, event, play, read, started } from '../../support/story.ts';

const base = [started('op-1', 0), acted('op-1', 1, 'R1'), event('R1', 4, { created: 1, updated: 3 })];
const failure = event('R1', 900, { type: 'PAYMENT.REFUND.FAILED', status: 'FAILED', created: 1, updated: 890 });

describe('an event newer than the answer that was read', () => {
  const proven = read('op-1', 30, 'R1', { created: 1, updated: 3 });

  it('of a failure takes VERIFIED back at once and asks for a read', () => {
    const played = play(shipped, [...base, proven, failure]);
    expect(played.revisions().at(-1)).toBe('PENDING withdrawn');
    expect(played.last()).toMatchObject({ money_moved: false });
    expect(played.last().detail).toContain('a newer event says that the refund did not go through');
    expect(played.step.reads).toContainEqual(expect.objectContaining({ channel: 'refund_readback', resourceId: 'R1' }));
  });

  it('is believed once the provider is read again', () => {
    const again = read('op-1', 905, 'R1', { status: 'FAILED', created: 1, updated: 890 });
    expect(play(shipped, [...base, proven, failure, again]).last()).toMatchObject({
      verdict: 'FAILED',
      money_moved: false,
    });
  });

  it('of a success keeps an older read from disproving', () => {
    const lagging = read('op-1', 60, 'R1', { status: 'FAILED', created: 1, updated: 2 });
    const played = play(shipped, [...base, lagging]);
    expect(played.last().verdict).toBe('PENDING');
    expect(played.step.reads).toContainEqual(expect.objectContaining({ channel: 'refund_readback', resourceId: 'R1' }));
  });

  it('leaves the literal contract to its readback', () => {
    const literal = [started('op-1', 0, { version: '1.0.0' }), ...base.slice(1), proven, failure];
    expect(play(shipped, literal).last().verdict).toBe('VERIFIED');
  });
});

describe('a redelivered event', () => {
  const success = event('R1', 4, { created: 1, updated: 4 });
  const proven = read('op-1', 30, 'R1', { created: 1, updated: 3 });
  const sameSecond = event('R1', 31, { type: 'PAYMENT.REFUND.FAILED', status: 'FAILED', created: 1, updated: 4 });

  it('of the old success changes nothing after a failure of the same printed second', () => {
    const log = [...base.slice(0, 2), success, proven, sameSecond];
    const again = { ...success, at: success.at + 46_000 };
    const [before, after] = [play(shipped, log), play(shipped, [...log, again])];
    expect(before.last()).toMatchObject({ verdict: 'PENDING', reason: 'withdrawn', money_moved: false });
    expect(after.verdicts).toEqual(before.verdicts);
    expect(after.state.refunds).toEqual(before.state.refunds);
  });

  it('is the same event whenever it comes first', () => {
    const again = { ...success, at: success.at + 46_000 };
    const [one, two] = [play(shipped, [success, again]), play(shipped, [again, success])];
    expect(two.state.refunds).toEqual(one.state.refunds);
  });

  it('delivered late does not overrule a failure of the same second', () => {
    const late = { ...success, at: success.at + 60_000 };
    expect(play(shipped, [...base.slice(0, 2), proven, sameSecond, late]).last().verdict).toBe('PENDING');
  });
});

describe('an answer that names another refund than was asked for', () => {
  it('is evidence of neither', () => {
    const stray = read('op-1', 60, 'R1', { bodyId: 'R2', status: 'FAILED', amount: '77.00', created: 1 });
    const good = [...base, read('op-1', 30, 'R1', { created: 1, updated: 3 })];
    expect(play(shipped, [...good, stray], 600).last()).toMatchObject({
      verdict: 'VERIFIED',
      refund: { id: 'R1' },
      refunds_seen: { ids: ['R1'] },
    });
  });
});
