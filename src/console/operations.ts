import type { VerdictName, VerdictRecord } from '../evaluator/index.ts';

/** Revisions kept of an operation, the last ones. */
const REVISIONS_KEPT = 32;

/** What is published about one operation. */
export interface OperationView {
  /** `<payment key>/<operation id>` */
  readonly key: string;
  readonly last: VerdictRecord;
  /** oldest first, the last included */
  readonly revisions: readonly VerdictRecord[];
}

export interface OperationFilter {
  readonly verdict?: VerdictName;
  readonly paymentKey?: string;
  readonly operationId?: string;
  /** only those a person was asked about */
  readonly isEscalated?: boolean;
}

/**
 * The read model of verdicts: every operation with its last revisions, in the order of their first publication. CLI, HTTP and
 * console ask this and nothing behind it.
 */
export class OperationsReadModel {
  readonly #operations = new Map<string, VerdictRecord[]>();
  readonly #limit: number;

  /** @param limit operations held; past it the one that started first is let go */
  constructor(limit = 1_000_000) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#operations.size;
  }

  /** Takes a published revision. A revision that is already there, or older than one that is, changes nothing. */
  apply(verdict: VerdictRecord): void {
    const key = `${verdict.payment_key}/${verdict.operation_id}`;
    const revisions = this.#operations.get(key);
    if (revisions === undefined) {
      this.#operations.set(key, [verdict]);
      const oldest = this.#operations.size > this.#limit ? this.#operations.keys().next() : null;
      if (oldest !== null && oldest.done !== true) this.#operations.delete(oldest.value);
      return;
    }
    if ((revisions.at(-1)?.revision ?? 0) >= verdict.revision) return;
    revisions.push(verdict);
    if (revisions.length > REVISIONS_KEPT) revisions.shift();
  }

  get(key: string): OperationView | null {
    const revisions = this.#operations.get(key);
    const last = revisions?.at(-1);
    return revisions === undefined || last === undefined ? null : { key, last, revisions };
  }

  *list(filter: OperationFilter = {}): Generator<OperationView> {
    for (const key of this.#operations.keys()) {
      const view = this.get(key);
      if (view !== null && matches(view.last, filter)) yield view;
    }
  }
}

const matches = (last: VerdictRecord, filter: OperationFilter): boolean =>
  (filter.verdict === undefined || last.verdict === filter.verdict) &&
  (filter.paymentKey === undefined || last.payment_key === filter.paymentKey) &&
  (filter.operationId === undefined || last.operation_id === filter.operationId) &&
  (filter.isEscalated === undefined || (last.escalated_to !== null) === filter.isEscalated);
