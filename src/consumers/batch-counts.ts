/** How many records of a kind came to an outcome, e.g. `webhook.received` `SIGNATURE_INVALID` 3. */
export interface BatchCount {
  readonly kind: string;
  readonly outcome: string;
  readonly count: number;
}

/** Counts by kind and outcome, for metrics and summaries. Outcomes: `applied`, `ignored`, `rekeyed` or an error code. */
export class BatchCounts {
  readonly #counts = new Map<string, Map<string, number>>();

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
  }

  list(): BatchCount[] {
    return [...this.#counts].flatMap(([kind, outcomes]) =>
      [...outcomes].map(([outcome, count]) => ({ kind, outcome, count })),
    );
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
