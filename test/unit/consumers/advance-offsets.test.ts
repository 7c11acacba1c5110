import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advanceOffsets } from '../../../src/consumers/commit.ts';

test('goes to the offset after the greatest of each topic, and never back', () => {
  expect(advanceOffsets({ a: '7', b: '0' }, [{ topic: 'a', offset: '3' }])).toEqual({ a: '7', b: '0' });
  expect(advanceOffsets({}, [{ topic: 'a', offset: '0' }])).toEqual({ a: '1' });
});

test('compares offsets as numbers, past what a double holds', () => {
  const offset = fc.bigInt({ min: 0n, max: 2n ** 63n - 2n });
  fc.assert(
    fc.property(offset, fc.array(offset, { minLength: 1, maxLength: 8 }), (applied, offsets) => {
      const last = [...offsets].sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
      const positions = offsets.map((each) => ({ topic: 'a', offset: each.toString() }));
      const expected = last >= applied ? last + 1n : applied;
      expect(advanceOffsets({ a: applied.toString() }, positions)).toEqual({ a: expected.toString() });
    }),
  );
});
