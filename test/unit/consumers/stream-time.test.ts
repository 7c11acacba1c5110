import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamTime } from '../../../src/consumers/stream-time.ts';

describe('stream time', () => {
  it('stands where it was restored until every partition has said something', () => {
    const time = new StreamTime(['a', 'b'], 100);
    expect(time.applied('a', 500, 1000)).toBe(100);
    expect(time.slowest()).toEqual({ topic: 'b', position: null });
    expect(time.caughtUp('b', 400)).toBe(400);
  });

  it('is the least of the partitions: a backlog in one holds it back', () => {
    const time = new StreamTime(['a', 'b'], 0);
    time.caughtUp('a', 90_000);
    expect(time.applied('b', 10_000, 90_000)).toBe(10_000);
    expect(time.applied('b', 20_000, 90_000)).toBe(20_000);
    expect(time.slowest()).toEqual({ topic: 'b', position: 20_000 });
    expect(time.caughtUp('b', 91_000)).toBe(90_000);
  });

  it('never goes back', () => {
    const time = new StreamTime(['a'], 50);
    expect(time.applied('a', 80, 1000)).toBe(80);
    expect(time.applied('a', 60, 1000)).toBe(80);
    expect(time.now).toBe(80);
  });

  it('takes a timestamp ahead of the wall clock for the wall time', () => {
    const time = new StreamTime(['a'], 0);
    expect(time.applied('a', 9_999_999, 1000)).toBe(1000);
  });

  it('is the least of all that was said, whatever the order', () => {
    const said = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(50));
    fc.assert(
      fc.property(fc.array(said, { maxLength: 40 }), fc.nat(20), (all, restored) => {
        const time = new StreamTime(['a', 'b', 'c'], restored);
        const last = new Map<string, number>();
        let expected = restored;
        for (const [topic, ms] of all) {
          last.set(topic, Math.max(ms, last.get(topic) ?? ms));
          if (last.size === 3) expected = Math.max(expected, Math.min(...last.values()));
          expect(time.caughtUp(topic, ms)).toBe(expected);
        }
      }),
    );
  });

  it('knows its own topics alone', () => {
    expect(() => new StreamTime(['a'], 0).caughtUp('b', 1)).toThrow(TypeError);
  });
});
