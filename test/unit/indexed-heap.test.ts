import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexedHeap } from '../../src/drivers/memory/indexed-heap.ts';

const bySlot = (a: number, b: number): number => a - b;

describe('the indexed heap', () => {
  it('behaves as a sorted list of slots by time, whatever is set and taken out', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), slot: fc.nat(40), at: fc.nat(20) }),
      fc.record({ do: fc.constant('delete' as const), slot: fc.nat(40), at: fc.constant(0) }),
      fc.record({ do: fc.constant('due' as const), slot: fc.nat(20), at: fc.nat(25) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new IndexedHeap(bySlot);
        const model = new Map<number, number>();
        const sorted = (): [number, number][] => [...model].sort((a, b) => a[1] - b[1] || a[0] - b[0]);
        for (const { do: what, slot, at } of steps) {
          if (what === 'set') {
            heap.set(slot, at);
            model.set(slot, at);
          } else if (what === 'delete') {
            heap.delete(slot);
            model.delete(slot);
          } else {
            const due = sorted().filter(([, time]) => time <= at);
            expect(heap.due(at, slot)).toEqual(due.slice(0, slot).map(([one]) => one));
          }
          expect(heap.size).toBe(model.size);
          expect(heap.first()).toBe(sorted()[0]?.[0] ?? -1);
          expect(heap.at(slot)).toBe(model.get(slot) ?? null);
        }
      }),
    );
  });

  it('leaves a clone alone', () => {
    const heap = new IndexedHeap(bySlot);
    for (let slot = 0; slot < 100; slot++) heap.set(slot, 100 - slot);
    const copy = heap.clone(bySlot);
    for (let slot = 0; slot < 100; slot++) heap.delete(slot);
    expect(copy.due(3, 10)).toEqual([99, 98, 97]);
  });
});
