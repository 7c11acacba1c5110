import type { Metrics } from '../observability/metrics.ts';

/** How many records of a kind came to an outcome, e.g. `webhook.received` `SIGNATURE_INVALID` 3. */
export interface BatchCount {
  readonly kind: string;
  readonly outcome: string;
  readonly count: number;
}

/** Counts by kind and outcome, for metrics and summaries. Outcomes: `applied`, `ignored`, `rekeyed` or an error code. */
export class BatchCounts {
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #repeats = new Map<string, number>();

  /** Repeats of a provider's events were dropped. */
  addRepeats(provider: string, count: number): void {
    if (count > 0) this.#repeats.set(provider, (this.#repeats.get(provider) ?? 0) + count);
  }

  add(kind: string, outcome: string, count = 1): void {
    let outcomes = this.#counts.get(kind);
    if (outcomes === undefined) {
      outcomes = new Map();
      this.#counts.set(kind, outcomes);
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
  }

  merge(other: BatchCounts): void {
    for (const { kind, outcome, count } of other.list()) this.add(kind, outcome, count);
    for (const [provider, count] of other.repeats) this.addRepeats(provider, count);
  }

  list(): BatchCount[] {
    return [...this.#counts].flatMap(([kind, outcomes]) =>
      [...outcomes].map(([outcome, count]) => ({ kind, outcome, count })),
    );
  }

  /** provider → how many repeats of its events were dropped after authentication */
  get repeats(): ReadonlyMap<string, number> {
    return this.#repeats;
  }

  /** All records of a kind, whatever came of them. */
  ofKind(kind: string): number {
    let sum = 0;
    for (const count of this.#counts.get(kind)?.values() ?? []) sum += count;
    return sum;
  }

  ofOutcome(outcome: string): number {
    let sum = 0;
    for (const outcomes of this.#counts.values()) sum += outcomes.get(outcome) ?? 0;
    return sum;
  }
}

/** What a batch came to, for its metrics. */
export const countBatch = (metrics: Pick<Metrics, 'records' | 'duplicatesDropped'>, counts: BatchCounts): void => {
  for (const { kind, outcome, count } of counts.list()) metrics.records.inc({ kind, outcome }, count);
  for (const [provider, count] of counts.repeats) metrics.duplicatesDropped.inc({ provider }, count);
};
