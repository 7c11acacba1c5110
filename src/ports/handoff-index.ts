import type { OperationIndex } from './operation-index.ts';

/** Which payment a charge receipt or a handoff is of: a help to find it, and never what anything is decided by. */
export interface HandoffIndex {
  /** receipt reference → payment keys; written by the consumer before a receipt counts */
  readonly charges: OperationIndex;
  /** handoff id → payment keys; written by the edge that takes a request */
  readonly handoffs: OperationIndex;
}
