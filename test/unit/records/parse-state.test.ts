import { expect, it } from 'vitest';
import { emptyPayment } from '../../../src/evaluator/index.ts';
import { parseState } from '../../../src/records/parse-state.ts';
import { encodeState } from '../../../src/records/state-codec.ts';

it('reads a stored state back', () => {
  const state = emptyPayment({ provider: 'square', account: 'm', paymentId: 'p' });
  expect(parseState('square:m:p', encodeState(state))).toEqual(state);
});

it('says whose stored state cannot be read, and can be tried again', () => {
  expect(() => parseState('square:m:p', '[99]')).toThrow(
    expect.objectContaining({ code: 'STATE_UNAVAILABLE', context: { paymentKey: 'square:m:p' } }),
  );
});
