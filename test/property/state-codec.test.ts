import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../src/records/state-codec.ts';
import { shipped } from '../support/contracts.ts';
import { observationsWithReviews } from '../support/observations.ts';
import { acted, event, play, read, started } from '../support/story.ts';

describe('the state codec', () => {
  it('reads back exactly what it wrote', () => {
    fc.assert(
      fc.property(
        fc.array(observationsWithReviews, { maxLength: 16 }),
        fc.constantFrom(450, 700, 5 * 86_400),
        (log, until) => {
          const { state } = play(shipped, log, until);
          expect(decodeState(encodeState(state))).toEqual(state);
        },
      ),
      { numRuns: 800 },
    );
  });

  it('keeps integers that no double can hold', () => {
    const { state } = play(shipped, [started('op-1', 0, { input: { big: 9_007_199_254_740_993_123n } })]);
    expect(decodeState(encodeState(state))).toEqual(state);
  });

  it('holds a settled operation in less than 1,300 bytes', () => {
    const { state } = play(shipped, [
      started('op-1', 0),
      acted('op-1', 1, 'R1'),
      event('R1', 4, { created: 1 }),
      read('op-1', 30, 'R1', { created: 1 }),
    ]);
    expect(Buffer.byteLength(encodeState(state))).toBeLessThan(1300);
  });

  it('refuses another form', () => {
    expect(() => decodeState('[2,"paypal"]')).toThrow(/form 2, should be 1/);
    expect(() => decodeState('{}')).toThrow(TypeError);
  });
});
