import type { BatchDeps } from '../consumers/batch-deps.ts';
import { type DecodedRecord, isUndecodable } from '../consumers/decoded-record.ts';
import { readLogFiles } from '../drivers/files/log-file.ts';
import { type PaymentRef, paymentKey } from '../evaluator/index.ts';

/** An operation that a log names. */
export interface FoundOperation {
  readonly operationId: string;
  readonly ref: PaymentRef;
}

const refOf = (deps: BatchDeps, decoded: DecodedRecord): PaymentRef | null => {
  const { record } = decoded;
  if (record.kind === 'webhook.received') return null;
  if (record.kind !== 'operation.started') {
    return { provider: record.provider, account: record.account, paymentId: record.payment_id };
  }
  const admitted = deps.admission.admit(record, decoded);
  return admitted.outcome === 'admitted' ? admitted.ref : null;
};

/**
 * The operations of the log files that `named` means: an operation id, or `<payment key>/<operation id>`. More than one where
 * payments share an operation id. Throws INPUT_UNREADABLE.
 */
export const findOperations = async (
  deps: BatchDeps,
  files: readonly string[],
  named: string,
): Promise<FoundOperation[]> => {
  const found = new Map<string, FoundOperation>();
  for await (const batch of readLogFiles(files)) {
    for (const { decoded } of batch) {
      if (isUndecodable(decoded) || !('operation_id' in decoded.record)) continue;
      const operationId = decoded.record.operation_id;
      if (operationId !== named && !named.endsWith(`/${operationId}`)) continue;
      const ref = refOf(deps, decoded);
      if (ref === null) continue;
      const key = `${paymentKey(ref)}/${operationId}`;
      if (operationId === named || key === named) found.set(key, { operationId, ref });
    }
  }
  return [...found.values()];
};
