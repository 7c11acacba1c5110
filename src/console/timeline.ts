import type {
  ContractRef,
  DueRead,
  EpochMs,
  Finding,
  JudgedCondition,
  Observation,
  PaymentRef,
  Source,
} from '../evaluator/index.ts';
import type { PresentState } from './present.ts';
import type { ToldVerdict } from './told-verdict.ts';

/** A condition that a record, or the passing of time, made come out differently. */
export interface ConditionChange {
  /** null: it was not judged before */
  readonly before: JudgedCondition['result'] | null;
  readonly now: JudgedCondition;
}

export type TimelineEntry =
  /** a record about the payment, and what it changed for the operation */
  | {
      readonly form: 'record';
      readonly at: EpochMs;
      readonly source: Source;
      readonly kind: Observation['kind'];
      readonly sentence: string;
      /** an event that was seen before */
      readonly isRepeat: boolean;
      readonly changes: readonly ConditionChange[];
    }
  /** time passed, and something changed by it */
  | { readonly form: 'time'; readonly at: EpochMs; readonly changes: readonly ConditionChange[] }
  | { readonly form: 'revision'; readonly at: EpochMs; readonly verdict: ToldVerdict }
  /** a record that names the operation or its payment and is no evidence */
  | {
      readonly form: 'dead_letter';
      readonly at: EpochMs;
      readonly source: Source;
      readonly code: string;
      readonly reason: string;
    };

/** What the operation waits for. */
export interface Awaited {
  /** reads that the contract's clock asks for, soonest first */
  readonly reads: readonly DueRead[];
  /** from here on an operation without proof is UNVERIFIABLE; null where no contract is in use, or it has passed */
  readonly deadline: EpochMs | null;
  /** who is asked at the deadline */
  readonly escalateTo: string | null;
  /** when time alone next changes something; null: never */
  readonly evaluateAt: EpochMs | null;
}

/** One operation's whole story: a read model that CLI, HTTP and console print in their own ways. */
export interface Timeline {
  readonly operationId: string;
  readonly payment: PaymentRef;
  readonly contract: ContractRef | null;
  readonly entries: readonly TimelineEntry[];
  /** the last published verdict, as far as it is known; null where the operation never started */
  readonly last: ToldVerdict | null;
  /** what the operation comes to at {@link asOf}, where its last verdict still waits for something or is not known in full */
  readonly present: PresentState | null;
  /** every rule of the contract as it stands at {@link asOf} */
  readonly conditions: readonly JudgedCondition[];
  /** what each VERIFIED condition means, by its name */
  readonly meanings: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
  readonly awaited: Awaited;
  readonly asOf: EpochMs;
}

/** What differs between two judgements of the same rules. */
export const conditionChanges = (
  before: readonly JudgedCondition[],
  after: readonly JudgedCondition[],
): ConditionChange[] => {
  const held = new Map(before.map((condition) => [`${condition.kind}/${condition.name}`, condition]));
  return after.flatMap((now) => {
    const was = held.get(`${now.kind}/${now.name}`) ?? null;
    if (was !== null && was.result === now.result && was.observed === now.observed) return [];
    // A rule that is judged for the first time and not known yet is no news.
    if (was === null && now.result === 'unknown') return [];
    return [{ before: was?.result ?? null, now }];
  });
};
