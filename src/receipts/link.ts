import type {
  OperationState,
  PaymentStep,
  Receipt,
  ReceiptRef,
  ReducePayment,
  VerdictRecord,
} from '../evaluator/index.ts';
import type { HeldReceipt } from '../ports/receipt-sealer.ts';
import { setOwn } from '../records/own-property.ts';
import { FORM, sha256Url, statementText } from './statement.ts';

/** Hears every statement as it is linked, so that sealing it need not write it a second time. */
export type OnLinked = (hash: string, statement: string, verdict: VerdictRecord) => void;

/** A receipt that has no place in a chain and no signature yet. The JWS is the last field: see `sealed-text.ts`. */
const linked = (hash: string, previous: ReceiptRef | null): Receipt => ({
  form: FORM,
  hash,
  previous,
  chain: { log: '', shard: 0, sequence: 0, previous: null },
  jws: '',
});

/**
 * Whether a revision is sealed: an operation's first terminal verdict, and every revision after it. A PENDING that withdraws
 * a verdict is sealed with the rest, or the chain would hide the withdrawal.
 */
const isSealed = ({ verdict }: VerdictRecord, last: ReceiptRef | null): boolean =>
  verdict !== 'PENDING' || last !== null;

export interface LinkOptions {
  /** by verdict id, what was sealed before */
  readonly held?: ((verdictId: string) => HeldReceipt | undefined) | undefined;
  readonly onLinked?: OnLinked;
}

/** The reducer whose verdicts name the operation's receipt before theirs, and whose states remember the last one. */
export const linkReceipts =
  (reduce: ReducePayment, options: LinkOptions = {}): ReducePayment =>
  (contracts, input) => {
    const step = reduce(contracts, input);
    return step.verdicts.length === 0 ? step : linkStep(step, options);
  };

const linkStep = (step: PaymentStep, { held, onLinked }: LinkOptions): PaymentStep => {
  const operations: Record<string, OperationState> = { ...step.state.operations };
  const verdicts = step.verdicts.map((verdict): VerdictRecord => {
    const id = verdict.operation_id;
    const operation = Object.hasOwn(operations, id) ? operations[id] : undefined;
    if (operation === undefined || !isSealed(verdict, operation.receipt)) return verdict;
    const before = held?.(verdict.verdict_id)?.receipt;
    const previous = before === undefined ? operation.receipt : before.previous;
    const statement = statementText(verdict, previous);
    const hash = sha256Url(statement);
    setOwn(operations, id, { ...operation, receipt: { revision: verdict.revision, hash: before?.hash ?? hash } });
    if (before !== undefined && before.hash !== hash) return verdict;
    onLinked?.(hash, statement, verdict);
    return { ...verdict, receipt: linked(hash, previous) };
  });
  return { ...step, state: { ...step.state, operations }, verdicts };
};
