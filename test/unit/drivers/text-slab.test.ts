import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextSlab } from '../../../src/drivers/memory/text-slab.ts';

describe('a slab of texts', () => {
  it('gives back the last text of every slot, however they grow, shrink and go', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }),
      fc.nat(40_000).map((length) => 'x'.repeat(length + 1)),
    );
    const change = fc.tuple(fc.nat(20), fc.option(text, { nil: null }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 120 }), (changes) => {
        const slab = new TextSlab();
        const model = new Map<number, string>();
        for (const [slot, value] of changes) {
          if (value === null) {
            slab.delete(slot);
            model.delete(slot);
          } else {
            slab.set(slot, slot % 2 === 0 ? value : Buffer.from(value));
            model.set(slot, value);
          }
        }
        for (let slot = 0; slot <= 20; slot += 1) expect(slab.get(slot)).toBe(model.get(slot) ?? null);
      }),
    );
  });

  it('holds slots far beyond what it began with', () => {
    const slab = new TextSlab();
    for (let slot = 0; slot < 5000; slot += 1) slab.set(slot, `text ${slot} ${'y'.repeat(slot % 700)}`);
    for (let slot = 0; slot < 5000; slot += 1) expect(slab.get(slot)).toBe(`text ${slot} ${'y'.repeat(slot % 700)}`);
  });
});
