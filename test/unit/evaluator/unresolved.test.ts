import { describe, expect, it } from 'vitest';
import { droppedCount, emptyPayment, unresolvedSince } from '../../../src/evaluator/index.ts';
import { shipped } from '../../support/contracts.ts';
import { acted, at, event, play, read, started } from '../../support/story.ts';

const good = [started('op-1', 0), acted('op-1', 1, 'R1'), event('R1', 4, { created: 1 })];

describe('what is unresolved of a payment', () => {
  it('is as old as its oldest PENDING operation', () => {
    const { state } = play(shipped, [started('op-2', 50), ...good]);
    expect(unresolvedSince(state)).toBe(at(0));
  });

  it('is what is left when others are judged', () => {
    const { state } = play(shipped, [...good, read('op-1', 30, 'R1', { created: 1 }), started('op-2', 50)]);
    expect(unresolvedSince(state)).toBe(at(50));
  });

  it('is nothing where every operation is judged, and where none has started', () => {
    expect(unresolvedSince(play(shipped, [...good, read('op-1', 30, 'R1', { created: 1 })]).state)).toBeNull();
    expect(unresolvedSince(play(shipped, [acted('op-1', 1, 'R1')]).state)).toBeNull();
  });
});

it('counts the repeats that dedupe has dropped, of every refund', () => {
  const twice = event('R1', 60, { created: 1 });
  expect(droppedCount(play(shipped, [...good, twice, twice]).state)).toBe(2);
  expect(droppedCount(emptyPayment({ provider: 'paypal', account: 'a', paymentId: 'p' }))).toBe(0);
});
