import type { ErrorCode } from '../errors.ts';
import type { ContractSet, EpochMs, Observation, PaymentRef, ReducePayment, Source } from '../evaluator/index.ts';
import type { InputRecord } from '../records/records.ts';

/** What the record's place in the log adds to the record. */
export interface AdmissionMeta {
  readonly source: Source;
  /** the log's own timestamp; null where it keeps none */
  readonly timestamp: EpochMs | null;
  readonly key: string | null;
  /** the record's headers: seals and trace context */
  readonly headers: Readonly<Record<string, string>>;
}

export type AdmitOutcome =
  | {
      readonly outcome: 'admitted';
      readonly ref: PaymentRef;
      readonly observations: readonly Observation[];
      /** the record counts and is dead-lettered all the same: a start that parses but is refused */
      readonly deadLetter?: { readonly code: ErrorCode; readonly reason: string };
    }
  | { readonly outcome: 'refused'; readonly code: ErrorCode; readonly reason: string }
  | { readonly outcome: 'ignored'; readonly reason: string };

/** Decides offline and repeatably whether a parsed record is evidence. */
export type Admit = (record: InputRecord, meta: AdmissionMeta) => AdmitOutcome;

/** What the stages of a batch need; the same for the embedded pipeline, `replay` and Kafka. */
export interface BatchDeps {
  readonly contracts: ContractSet;
  readonly admit: Admit;
  readonly reduce: ReducePayment;
}
