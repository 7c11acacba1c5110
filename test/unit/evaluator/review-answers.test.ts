import { describe, expect, it } from 'vitest';
import { shipped } from '../../support/contracts.ts';
import { acted, event, play, read, reviewed, started } from '../../support/story.ts';

const double = [
  started('op-1', 0),
  acted('op-1', 1, 'R1'),
  event('R1', 4, { created: 1 }),
  read('op-1', 30, 'R1', { created: 1 }),
  event('R2', 60),
];
const accepted = [...double, reviewed('op-1', 600, 3, 'VERIFIED')];

describe('a decision over a contradiction', () => {
  it('answers that contradiction alone: another is put to a person again', () => {
    expect(play(shipped, accepted).last()).toMatchObject({ verdict: 'VERIFIED', basis: 'review' });
    const otherMoney = read('op-1', 700, 'R1', { amount: '4.00', created: 1, updated: 690 });
    expect(play(shipped, [...accepted, otherMoney]).last()).toMatchObject({
      verdict: 'CONTRADICTED',
      class: 'wrong_amount',
      basis: 'evidence',
      escalated_to: 'person',
    });
  });

  it('still stands where the same contradiction is told of once more', () => {
    const again = event('R2', 900, { eventId: 'again' });
    expect(play(shipped, [...accepted, again]).last()).toMatchObject({ verdict: 'VERIFIED', basis: 'review' });
  });
});
