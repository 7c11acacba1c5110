import type { ContractSet, ReducePayment } from '../evaluator/index.ts';
import type { Admission } from './admit.ts';

/** What the stages of a batch need; the same for the embedded pipeline, `replay` and Kafka. */
export interface BatchDeps {
  readonly contracts: ContractSet;
  readonly admission: Admission;
  readonly reduce: ReducePayment;
}
