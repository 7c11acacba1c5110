import { TextSlab } from '../drivers/memory/text-slab.ts';
import type { VerdictName, VerdictRecord } from '../evaluator/index.ts';
import { type VerdictRow, verdictRow } from './verdict-table.ts';

/** The last verdict's few fields of every operation, held as compactly as a million of them asks for. */
export class VerdictRows {
  readonly #slots = new Map<string, number>();
  readonly #rows = new TextSlab();
  readonly #verdicts: VerdictName[] = [];

  /** operations held */
  get size(): number {
    return this.#slots.size;
  }

  apply(verdict: VerdictRecord): void {
    const key = `${verdict.payment_key}/${verdict.operation_id}`;
    const slot = this.#slots.get(key) ?? this.#slots.size;
    this.#slots.set(key, slot);
    this.#rows.set(slot, JSON.stringify(verdictRow(verdict)));
    this.#verdicts[slot] = verdict.verdict;
  }

  /** In the order in which the operations were first heard of. */
  *list(): Generator<VerdictRow> {
    for (const slot of this.#slots.values()) {
      const text = this.#rows.get(slot);
      if (text !== null) yield JSON.parse(text) as VerdictRow;
    }
  }

  counts(): Map<VerdictName, number> {
    const counts = new Map<VerdictName, number>();
    for (const verdict of this.#verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    return counts;
  }
}
