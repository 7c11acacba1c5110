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
