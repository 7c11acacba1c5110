import type { ContractSet } from './compile.ts';
import type { HandoffDecided } from './handoff.ts';
import type { EpochMs, Observation, PaymentRef } from './observation.ts';
import type { PaymentState } from './state.ts';
import type { VerdictRecord } from './verdict.ts';

/** A read that the contract's clock asks for: data, not a timer. The worker that performs it publishes `readback.result`. */
export interface DueRead {
  readonly operationId: string;
  readonly channel: string;
  /** the refund to read; null: whatever finds one (order, payment, list) */
  readonly resourceId: string | null;
  readonly purpose: 'poll' | 'event' | 'deadline' | 'candidate' | 'list';
  /** the attempt number this read will carry */
  readonly attempt: number;
  readonly dueAt: EpochMs;
}

/** A record that changed nothing because it contradicts an earlier one; it goes to dead-letter with its bytes. */
export interface Rejection {
  /** index into the observations given */
  readonly index: number;
  readonly code: 'OPERATION_CONFLICT' | 'REVIEW_MISADDRESSED';
  readonly reason: string;
}

/** What one payment's records and the passing of time came to. */
export interface PaymentStep {
  readonly state: PaymentState;
  readonly verdicts: readonly VerdictRecord[];
  /** new answers to requests for a plan, each with the observation that asked */
  readonly handoffs: readonly { readonly index: number; readonly decided: HandoffDecided }[];
  readonly rejections: readonly Rejection[];
  /** when the payment must be evaluated again without a new record; null: never */
  readonly evaluateAt: EpochMs | null;
  /** every read now wanted for this payment: replaces what was wanted before */
  readonly reads: readonly DueRead[];
  /** after this instant the state may be dropped; null while an evaluation is to come: no operation is forgotten unjudged */
  readonly expiresAt: EpochMs | null;
}

export interface PaymentInput {
  readonly ref: PaymentRef;
  readonly state: PaymentState | null;
  /** in log order */
  readonly observations: readonly Observation[];
  /**
   * The stream time at which each observation is applied, never going backwards. Evaluations that fall due in between are
   * done at their own instants.
   */
  readonly appliedAt: readonly EpochMs[];
  /** the stream time reached at the end */
  readonly now: EpochMs;
}

export type ReducePayment = (contracts: ContractSet, input: PaymentInput) => PaymentStep;
