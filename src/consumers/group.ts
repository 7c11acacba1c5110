import type { EpochMs, Observation, PaymentRef } from '../evaluator/index.ts';

/** What a batch holds about one payment, in log order. */
export interface PaymentGroup {
  readonly key: string;
  readonly ref: PaymentRef;
  readonly observations: Observation[];
  /** stream time at which each observation is applied */
  readonly appliedAt: EpochMs[];
  /** the place in the batch of the record each observation came from */
  readonly records: number[];
}

/** Groups the observations of a batch by payment: records of one payment keep their order, payments are independent. */
export class PaymentGroups {
  readonly #groups = new Map<string, PaymentGroup>();

  add(key: string, ref: PaymentRef, observation: Observation, appliedAt: EpochMs, record: number): void {
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { key, ref, observations: [], appliedAt: [], records: [] };
      this.#groups.set(key, group);
    }
    group.observations.push(observation);
    group.appliedAt.push(appliedAt);
    group.records.push(record);
  }

  get size(): number {
    return this.#groups.size;
  }

  list(): PaymentGroup[] {
    return [...this.#groups.values()];
  }
}
