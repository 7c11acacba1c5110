import type { CompiledContract, ContractSet } from './compile.ts';
import { decimalText } from './decimal.ts';
import { type RefundView, viewRefund } from './fold.ts';
import { instantMs } from './instant.ts';
import { type Intent, intentOf, isBefore, isSameMoney } from './intent.ts';
import { isJsonObject } from './json.ts';
import type { EpochMs } from './observation.ts';
import { valueAt } from './path.ts';
import type { OperationStart, OperationState, PaymentState, RefundState } from './state.ts';

/** One operation of the payment, read with its contract. */
export interface OperationView {
  readonly id: string;
  readonly state: OperationState;
  readonly start: OperationStart | null;
  readonly contract: CompiledContract | null;
  readonly intent: Intent | null;
  /** refund ids that the action's own results named, with the time each became known */
  readonly reported: ReadonlyMap<string, EpochMs>;
}

/** An operation that can be judged: its start was not refused and its contract is in use. */
export interface JudgeableOperation extends OperationView {
  readonly start: OperationStart;
  readonly contract: CompiledContract;
  readonly intent: Intent;
}

export const isJudgeable = (operation: OperationView): operation is JudgeableOperation =>
  operation.start !== null &&
  operation.start.refused === null &&
  operation.contract !== null &&
  operation.intent !== null;

/** How a refund came to belong to an operation. */
export interface Binding {
  readonly refundId: string;
  readonly strategy: 'resource_id' | 'idempotency_key' | 'echo' | 'fingerprint';
  readonly assurance: 'strong' | 'weak';
  /** the operation that created it first also claims it: this one does not have it */
  readonly isClaimedByOther: boolean;
}

/** The payment's refunds and operations, and who owns which: worked out once for all operations of the payment. */
export interface PaymentView {
  readonly payment: PaymentState;
  readonly refunds: ReadonlyMap<string, RefundView>;
  readonly operations: ReadonlyMap<string, OperationView>;
  /** refund id → the operation that owns it by strong correlation */
  readonly owners: ReadonlyMap<string, string>;
  /** operation id → its strong binding */
  readonly bindings: ReadonlyMap<string, Binding>;
}

const NOTHING_REPORTED: ReadonlyMap<string, EpochMs> = new Map();

const reportedBy = (operation: OperationState): ReadonlyMap<string, EpochMs> => {
  if (operation.actions.length === 0) return NOTHING_REPORTED;
  const reported = new Map<string, EpochMs>();
  for (const action of operation.actions) {
    if (action.refundId === null) continue;
    const at = instantMs(action.completedAt) ?? action.at;
    reported.set(action.refundId, Math.min(at, reported.get(action.refundId) ?? at));
  }
  return reported;
};

const viewOperation = (id: string, state: OperationState, contracts: ContractSet): OperationView => {
  const start = state.start;
  const contract =
    start === null || start.contract.version === null
      ? null
      : contracts.find(start.contract.id, start.contract.version);
  return {
    id,
    state,
    start,
    contract,
    intent: start === null || contract === null ? null : intentOf(start, contract),
    reported: reportedBy(state),
  };
};

/** Earlier created_at first, then the id: the order in which operations have a claim. */
const compareClaims = (a: OperationView, b: OperationView): number => {
  const [x, y] = [a.start?.at ?? Number.POSITIVE_INFINITY, b.start?.at ?? Number.POSITIVE_INFINITY];
  return x !== y ? (x < y ? -1 : 1) : a.id < b.id ? -1 : 1;
};

/** The values that this operation's caller chose and the provider would print on the refund. */
const echoesOf = (
  operation: OperationView,
): { text: string; strategy: 'idempotency_key' | 'echo'; isOwn: boolean }[] => {
  const { contract, start } = operation;
  if (contract === null || start === null) return [];
  return contract.echoes.flatMap(({ path, strategy }) => {
    const value =
      path.root === 'operation'
        ? { id: operation.id, idempotency_key: start.idempotencyKey, created_at: start.createdAt }[
            String(path.segments[0])
          ]
        : path.root === 'input'
          ? valueAt(start.input, path.segments)
          : undefined;
    const text = value === undefined || value === null || isJsonObject(value) ? null : decimalText(value);
    if (text === null || text === '') return [];
    return [{ text, strategy: strategy as 'idempotency_key' | 'echo', isOwn: path.root === 'operation' }];
  });
};

/** Whether the refund was created before the operation; null where nobody says when it was created. */
export const predates = (refund: RefundView, operation: OperationView): boolean | null => {
  if (operation.intent === null || operation.contract === null) return null;
  const skewMs = operation.contract.contract.timing.clock_skew_ms;
  const { created } = refund;
  if (created !== null) return isBefore(created, operation.intent.createdAt, skewMs);
  return refund.seenAt < operation.intent.createdAt.startMs - skewMs ? true : null;
};

/** An operation without a reported result whose key is printed on exactly one refund that nobody reported. */
const bindByEcho = (
  operation: OperationView,
  refunds: ReadonlyMap<string, RefundView>,
  reported: ReadonlySet<string>,
  shared: ReadonlySet<string>,
): Binding | null => {
  for (const { text, strategy, isOwn } of echoesOf(operation)) {
    if (shared.has(text)) continue;
    const matches = [...refunds.values()].filter(
      (refund) =>
        !reported.has(refund.id) &&
        refund.state !== 'no_money' &&
        refund.echoes.includes(text) &&
        predates(refund, operation) !== true &&
        // A value of the input may be the order's, printed on every refund of the payment: then the money must agree too.
        (isOwn || (operation.intent !== null && isSameMoney(refund, operation.intent) === true)),
    );
    const [match] = matches;
    if (matches.length === 1 && match !== undefined) {
      return { refundId: match.id, strategy, assurance: 'strong', isClaimedByOther: false };
    }
  }
  return null;
};

/** Of several refunds an operation reported: one that may live before one that is dead, the first known, then the id. */
const bindReported = (operation: OperationView, refunds: ReadonlyMap<string, RefundView>): string | null => {
  // The usual case first: nothing to sort.
  if (operation.reported.size === 1) for (const id of operation.reported.keys()) return id;
  const isDead = (id: string): number => (refunds.get(id)?.state === 'dead' ? 1 : 0);
  const [first] = [...operation.reported].sort(
    ([a, atA], [b, atB]) => isDead(a) - isDead(b) || atA - atB || (a < b ? -1 : 1),
  );
  return first?.[0] ?? null;
};

/** Binds what the provider's echoes tell of the operations that reported nothing; adds to `owners` and `bindings`. */
const bindEchoes = (
  unreported: readonly OperationView[],
  operations: readonly OperationView[],
  refunds: ReadonlyMap<string, RefundView>,
  owners: Map<string, string>,
  bindings: Map<string, Binding>,
): void => {
  let hasEchoes = false;
  for (const refund of refunds.values()) hasEchoes ||= refund.echoes.length > 0;
  if (!hasEchoes) return;
  const reported = new Set(owners.keys());
  const echoed = new Set<string>();
  const shared = new Set<string>();
  for (const operation of operations) {
    for (const text of new Set(echoesOf(operation).map((echo) => echo.text))) {
      if (echoed.has(text)) shared.add(text);
      echoed.add(text);
    }
  }
  for (const operation of unreported) {
    const binding = bindByEcho(operation, refunds, reported, shared);
    if (binding === null) continue;
    const isClaimedByOther = owners.has(binding.refundId);
    if (!isClaimedByOther) owners.set(binding.refundId, operation.id);
    bindings.set(operation.id, { ...binding, isClaimedByOther });
  }
};

/** A payment as its operations' contracts read it. */
export const viewPayment = (payment: PaymentState, contracts: ContractSet): PaymentView => {
  const refunds = new Map<string, RefundView>();
  for (const id of Object.keys(payment.refunds)) refunds.set(id, viewRefund(id, payment.refunds[id] as RefundState));
  const operations = new Map<string, OperationView>();
  for (const id of Object.keys(payment.operations)) {
    operations.set(id, viewOperation(id, payment.operations[id] as OperationState, contracts));
  }
  const byClaim = operations.size > 1 ? [...operations.values()].sort(compareClaims) : [...operations.values()];

  const owners = new Map<string, string>();
  for (const operation of byClaim) {
    for (const id of operation.reported.keys()) if (!owners.has(id)) owners.set(id, operation.id);
  }
  const bindings = new Map<string, Binding>();
  const unreported: OperationView[] = [];
  for (const operation of byClaim) {
    const id = bindReported(operation, refunds);
    if (id === null) unreported.push(operation);
    else {
      const isClaimedByOther = owners.get(id) !== operation.id;
      bindings.set(operation.id, { refundId: id, strategy: 'resource_id', assurance: 'strong', isClaimedByOther });
    }
  }
  if (unreported.length > 0 && refunds.size > 0) bindEchoes(unreported, byClaim, refunds, owners, bindings);
  return { payment, refunds, operations, owners, bindings };
};

/** From when a read of the refund may disprove: the end of the stale read window of the operation that reads it. */
export const staleUntil = (refundId: string, refund: RefundView | undefined, operation: OperationView): EpochMs => {
  const known = operation.reported.get(refundId) ?? refund?.seenAt ?? Number.NEGATIVE_INFINITY;
  return known + (operation.contract?.contract.timing.stale_read_window_ms ?? 0);
};
