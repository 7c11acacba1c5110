/** Which payments have an operation of an id: a help for those who know the id alone, and never what anything is decided by. */
export interface OperationIndex {
  add(operationId: string, paymentKey: string): Promise<void>;
  /** payment keys, in no order; an entry may be missing or outlive its operation */
  paymentsOf(operationId: string): Promise<readonly string[]>;
}
