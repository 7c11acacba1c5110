import type { ContractSet, EpochMs, PaymentRef, PaymentState, PaymentStep, ReducePayment } from '../evaluator/index.ts';
import type { DeadLetter } from './decoded-record.ts';
import type { PaymentGroup } from './group.ts';

/** One payment's step, and the record of the batch that caused each of its verdicts (null: the passing of time). */
export interface ReducedPayment {
  readonly key: string;
  readonly ref: PaymentRef;
  readonly step: PaymentStep;
  readonly causes: readonly (number | null)[];
  /** the record of the batch that each observation came from; left out: there were none */
  readonly records?: readonly number[];
}

const causeOf = (group: PaymentGroup, decidedAt: EpochMs): number | null => {
  let cause: number | null = null;
  for (const [index, appliedAt] of group.appliedAt.entries()) {
    if (appliedAt > decidedAt) break;
    cause = group.records[index] ?? null;
  }
  return cause;
};

/** Reduces each payment of a batch on its loaded state; what the reducer rejects goes to dead-letter. */
export const reduceGroups = (
  reduce: ReducePayment,
  contracts: ContractSet,
  groups: readonly PaymentGroup[],
  states: readonly (PaymentState | null)[],
  now: EpochMs,
): { readonly payments: ReducedPayment[]; readonly rejected: DeadLetter[] } => {
  const rejected: DeadLetter[] = [];
  const payments = groups.map((group, place): ReducedPayment => {
    const { key, ref, observations, appliedAt } = group;
    const step = reduce(contracts, { ref, state: states[place] ?? null, observations, appliedAt, now });
    for (const rejection of step.rejections) {
      const index = group.records[rejection.index];
      if (index !== undefined) rejected.push({ index, code: rejection.code, reason: rejection.reason });
    }
    const causes = step.verdicts.map((verdict) => causeOf(group, Date.parse(verdict.decided_at)));
    return { key, ref, step, causes, records: group.records };
  });
  return { payments, rejected };
};
