import type { Evaluation } from './evaluate.ts';
import { printInstant } from './instant.ts';
import { paymentKey } from './observation.ts';
import type { Publication } from './publish.ts';
import type { OperationStart, PaymentState } from './state.ts';
import type { VerdictRecord } from './verdict.ts';

/**
 * What is said of a start that parses but is refused, or whose contract this process does not have: UNVERIFIABLE with the
 * reason, escalated, so that no ledger waits for ever.
 */
export const evaluateRefused = (start: OperationStart): Evaluation => ({
  verdict: 'UNVERIFIABLE',
  class: null,
  reason: start.refused?.code ?? 'contract_unknown',
  detail: () =>
    start.refused?.detail ??
    `contract: was ${[start.contract.id, start.contract.version ?? ''].join(' ').trim()}, should be one of the contracts in use`,
  advice: 'ask_person',
  escalatedTo: 'person',
  moneyMoved: null,
  duplicates: [],
  judgement: null,
  changesAt: null,
  heldUntil: null,
});

/** The verdict record of an operation without a usable contract. */
export const refusedRecord = (
  payment: PaymentState,
  operationId: string,
  start: OperationStart,
  publication: Publication,
): VerdictRecord => {
  const { evaluation, published, supersedes, basis } = publication;
  const key = paymentKey(payment);
  const idOf = (revision: number): string => `${key}/${operationId}:${revision}`;
  const seen = Object.keys(payment.refunds).sort();
  return {
    kind: 'verdict',
    schema: 1,
    verdict_id: idOf(published.revision),
    operation_id: operationId,
    provider: payment.provider,
    account: payment.account,
    payment_key: key,
    revision: published.revision,
    input: start.input,
    refund: null,
    verdict: evaluation.verdict,
    class: evaluation.class,
    reason: evaluation.reason,
    detail: evaluation.detail(),
    basis,
    contract: { id: start.contract.id, version: start.contract.version ?? '', hash: '' },
    completion_level: null,
    money_moved: null,
    conditions: [],
    evidence: [],
    correlation: null,
    refunds_seen: { ids: seen, count: seen.length },
    duplicates: { ids: [], count: 0 },
    duplicates_dropped: 0,
    findings: [],
    advice: evaluation.advice,
    escalated_to: evaluation.escalatedTo,
    decided_at: printInstant(published.at),
    supersedes: supersedes === null ? null : idOf(supersedes),
    receipt: null,
  };
};
