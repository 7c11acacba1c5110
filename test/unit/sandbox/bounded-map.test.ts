import { expect, it } from 'vitest';
import { BoundedMap } from '../../../src/sandbox/bounded-map.ts';

it('forgets what was put in first, past its bound, and nothing where a key is put in again', () => {
  const map = new BoundedMap<number>(2);
  map.set('a', 1).set('b', 2).set('a', 3);
  expect([...map]).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
  map.set('c', 4);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 4],
  ]);
});
