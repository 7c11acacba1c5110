import type { Json, JsonObject } from '../evaluator/index.ts';

/** How an operation was started, as far as another start of its id could differ. */
export interface KnownStart {
  readonly contract: { readonly id: string; readonly version: string | null };
  readonly input: JsonObject;
  readonly idempotencyKey: string;
  readonly handoff: string | null;
  /** as printed */
  readonly createdAt: string;
}

/** An operation that is held, and what is to be told of it. */
export interface FoundOperation {
  /** `<payment key>/<operation id>` */
  readonly key: string;
  readonly operationId: string;
  readonly provider: string;
  readonly account: string;
  readonly paymentId: string;
  /** verdict, conditions, revisions and timeline as one JSON object */
  readonly view: Json;
}

/** What is known of operations: the read side of the operations API. Throws STATE_UNAVAILABLE where it cannot be asked. */
export interface OperationLookup {
  /** null: no such start has been applied yet */
  start(paymentKey: string, operationId: string): Promise<KnownStart | null>;
  /**
   * @param named an operation id, or `<payment key>/<operation id>`
   * @param paymentKey the payment that a bare id is of, where the caller knows it
   */
  find(named: string, paymentKey: string | null): Promise<readonly FoundOperation[]>;
}
