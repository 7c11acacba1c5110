import { describe, expect, it } from 'vitest';
import { shipped } from '../../support/contracts.ts';
import { at, play, started } from '../../support/story.ts';

const DAY = 86_400;

describe('a payment whose last word was given by the clock', () => {
  it('is watched from that verdict on, not from its last record', () => {
    const played = play(shipped, [started('op-1', 0)], 30 * DAY);
    const { verdict, decided_at: decidedAt } = played.last();
    expect(verdict).toBe('UNVERIFIABLE');
    expect(Date.parse(decidedAt)).toBeGreaterThan(at(DAY));
    const watchedMs = Number(played.step.expiresAt) - Date.parse(decidedAt);
    expect(watchedMs).toBeGreaterThanOrEqual(35 * DAY * 1000);
    expect(Number(played.step.expiresAt) - at(0)).toBeGreaterThan((35 + 7) * DAY * 1000);
  });
});
